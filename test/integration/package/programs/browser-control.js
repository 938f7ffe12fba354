import { waitForInterrupts } from 'explainability-agent/control';

waitForInterrupts({ agent: 'CoderAgent' });
