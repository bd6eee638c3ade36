import{K as b,L as c,X as d,n as a,xb as e}from"./chunk-IZ3Y6K46.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
