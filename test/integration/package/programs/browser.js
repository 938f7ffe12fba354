import { connect } from 'explainability-agent/client';

globalThis.live = connect({ url: location.origin }).subscribe();
