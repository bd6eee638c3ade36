import{B as a,C as b,L as c,W as d,Wb as e}from"./chunk-MFSXDSNC.js";export{b as applyQueue,c as database,d as queue,e as refresh,a as workflow};
