import { askApproval, waitForInterrupts, type Control, type Interrupt } from 'explainability-agent/control';

const control: Control = waitForInterrupts({
  agent: 'CoderAgent',
  onInterrupt: ({ reason }: Interrupt) => ({ status: reason === 'timeout' ? 'continuing' : 'stopping' }),
});
void fetch('http://127.0.0.1:1/', { signal: control.signal }).catch(() => control.close());

// Types that are there but say nothing would let this pass.
// @ts-expect-error no such status
waitForInterrupts({ agent: 'CoderAgent', onInterrupt: () => ({ status: 'stopped' }) });
void askApproval({ question: 'May I?', agent: 'CoderAgent', signal: control.signal }).then(({ state }) => {
  // @ts-expect-error it is answered by then
  return state === 'pending';
});
