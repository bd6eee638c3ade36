import{J as b,K as c,V as d,jb as e,n as a}from"./chunk-7X45ELSL.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
