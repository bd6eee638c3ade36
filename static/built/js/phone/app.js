import{I as b,J as c,U as d,ib as e,n as a}from"./chunk-ANRGBNXR.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
