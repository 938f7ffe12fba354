/** The attributes that the receiver of ThoughtFlow gives the spans of a session, its conversations and their steps. */
export const THOUGHTFLOW = {
  kind: 'thoughtflow.kind',
  taskId: 'thoughtflow.task_id',
  sessionId: 'thoughtflow.session_id',
  conversationId: 'thoughtflow.conversation_id',
  stepId: 'thoughtflow.step_id',
  label: 'thoughtflow.label',
  index: 'thoughtflow.index',
  list: 'thoughtflow.list',
  item: 'thoughtflow.item',
} as const;
