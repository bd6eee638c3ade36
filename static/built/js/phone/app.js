import{I as b,J as c,U as d,hb as e,n as a}from"./chunk-UCVVCXOF.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
