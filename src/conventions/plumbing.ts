/**
 * What LangChain and LangGraph run between the steps of an agent: sequences, lambdas, prompt templates, parsers,
 * reads and writes of channels, the ends of a graph. Traceloop appends `.task` and `.workflow`.
 */
const PLUMBING =
  /^(?:Runnable[A-Z]\w{0,40}|\w{0,40}PromptTemplate|\w{0,40}OutputParser|ChannelRead|ChannelWrite|__start__|__end__)(?:<.{0,200}>)?(?:\.(?:task|workflow|chain))?$/;

export function isPlumbing(spanName: string): boolean {
  return PLUMBING.test(spanName);
}
