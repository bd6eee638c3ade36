import{J as b,K as c,V as d,jb as e,n as a}from"./chunk-OP7DPDIJ.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
