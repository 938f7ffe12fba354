import { useCallback, useSyncExternalStore } from 'react';
import { useTask } from '../../state/task-context.ts';
import { Notices } from '../../widgets/notices.tsx';

/** What the graph of the task lacks, or is put together of. */
export function TaskNotices() {
  const { live } = useTask();
  const subscribe = useCallback((listener: () => void) => live.on('notices', listener), [live]);
  return <Notices notices={useSyncExternalStore(subscribe, () => live.notices)} />;
}
