import{A as b,Ac as e,J as c,V as d,z as a}from"./chunk-XX7NVQVS.js";export{b as applyQueue,c as database,d as queue,e as refresh,a as workflow};
