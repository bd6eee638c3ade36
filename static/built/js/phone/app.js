import{H as b,I as c,Rb as e,U as d,l as a}from"./chunk-77SMYKJ5.js";export{c as applyQueue,a as database,d as queue,e as refresh,b as workflow};
