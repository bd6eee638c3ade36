import{I as b,J as c,Jb as e,V as d,l as a}from"./chunk-KROSQCZX.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
