import { encode, decode } from '/work/main/src/receivers/otlp/otlp.test-support.ts';
import { randomBytes } from 'node:crypto';
const bodies: Buffer[] = [];
for (let b=0;b<16;b++) {
  const spans = Array.from({length:512},()=>({
    traceId: randomBytes(16), spanId: randomBytes(8), parentSpanId: randomBytes(8), name:'chat gpt-4o', kind:3,
    startTimeUnixNano: '1795293556273000000', endTimeUnixNano: '1795293556274105734',
    attributes: [
      {key:'gen_ai.system',value:{stringValue:'openai'}},{key:'gen_ai.operation.name',value:{stringValue:'chat'}},
      {key:'gen_ai.request.model',value:{stringValue:'gpt-4o'}},{key:'gen_ai.response.model',value:{stringValue:'gpt-4o-2024-08-06'}},
      {key:'gen_ai.usage.input_tokens',value:{intValue:1200}},{key:'gen_ai.usage.output_tokens',value:{intValue:320}},
      {key:'gen_ai.request.temperature',value:{doubleValue:0.7}},{key:'requestId',value:{stringValue:randomBytes(8).toString('hex')}},
      {key:'taskID',value:{stringValue:'T'+b}},{key:'agent.name',value:{stringValue:'CoderAgent'}},
      {key:'gen_ai.prompt',value:{stringValue:randomBytes(256).toString('hex')}},
      {key:'gen_ai.completion',value:{stringValue:randomBytes(256).toString('hex')}},
    ],
    events:[{timeUnixNano:'1795293556273000000',name:'gen_ai.choice',attributes:[{key:'finish_reason',value:{stringValue:'stop'}}]}],
    status:{code:1}}));
  bodies.push(encode('traces',{resourceSpans:[{resource:{attributes:[{key:'service.name',value:{stringValue:'x'}}]},scopeSpans:[{scope:{name:'s'},spans}]}]} as any));
}
console.log('bytes/span', bodies[0]!.length/512);
for (let r=0;r<6;r++){ const t=process.cpuUsage(); const w=performance.now(); let n=0; for(let i=0;i<400;i++){ n+=decode('traces','protobuf',bodies[i%16]!).records.length;} const c=process.cpuUsage(t); console.log(Math.round(n/((performance.now()-w)/1000)),'spans/s wall', Math.round(n/((c.user+c.system)/1e6)),'per cpu-s'); }
import { reference } from '/work/main/src/receivers/otlp/otlp.test-support.ts';
const T = reference.lookupType('otlp.ExportTraceServiceRequest');
for (let r=0;r<5;r++){ 
 for (const [name,f] of [['pbjs raw',(b:Buffer)=>(T.decode(b) as any).resourceSpans[0].scopeSpans[0].spans.length],['hand',(b:Buffer)=>decode('traces','protobuf',b).records.length]] as const){
 const t=process.cpuUsage(); let n=0; for(let i=0;i<200;i++){ n+=f(bodies[i%16]!);} const c=process.cpuUsage(t); console.log(name, Math.round(n/((c.user+c.system)/1e6)),'per cpu-s'); } }
