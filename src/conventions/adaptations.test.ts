import { testSpans } from './cases-for-test.ts';

const CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };

testSpans('AD10', [
  {
    title: 'explain.adaptations names them with their versions, each once',
    attributes: { ...CALL, 'explain.adaptations': ['tone@2', 'adn.safety.general', 'tone@2'] },
    step: { type: 'LLM_CALL' },
    details: { adaptations: ['tone@2', 'adn.safety.general'] },
  },
  {
    title: 'a list may come as JSON in a string',
    attributes: { ...CALL, 'explain.adaptations': '["tone@2"]' },
    step: { type: 'LLM_CALL' },
    details: { adaptations: ['tone@2'] },
  },
  {
    title: 'adaptation.id and adaptation.version name one',
    attributes: { ...CALL, 'adaptation.id': 'tone', 'adaptation.version': 3 },
    step: { type: 'LLM_CALL' },
    details: { adaptations: ['tone@3'] },
  },
  {
    title: "ThoughtFlow's step has included_ids",
    attributes: {
      'prompt.adaptations': '{"included_ids":["adn.safety.general"],"content_preview":"Safety: …"}',
    },
    step: {},
    details: { adaptations: ['adn.safety.general'] },
  },
  {
    title: 'what is no name is left out: texts, wrong versions, other types',
    attributes: {
      ...CALL,
      'explain.adaptations': ['be kind, always', 'tone@', 'tone@x', '', 'ok@1'],
      'prompt.adaptations': 'Concise',
      'adaptation.id': '',
      'adaptation.version': 2,
    },
    step: { type: 'LLM_CALL' },
    details: { adaptations: ['ok@1'] },
  },
  {
    title: 'a step that names none has none',
    attributes: { ...CALL, 'explain.adaptations': [] },
    step: { type: 'LLM_CALL' },
    details: { adaptations: undefined },
  },
]);
