import{B as a,C as b,L as c,X as d,Xb as e}from"./chunk-NQLCJS5B.js";export{b as applyQueue,c as database,d as queue,e as refresh,a as workflow};
