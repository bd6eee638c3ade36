import{K as b,L as c,X as d,n as a,wb as e}from"./chunk-2IQPA45Y.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
