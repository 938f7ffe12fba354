import { sentence, withOwnTimes } from '../state/format.ts';

/** A gateway may have a hundred cells: what is looked at stays in sight. */
const SHOWN = 4;

interface NoticesProps {
  readonly notices: readonly string[];
}

/**
 * What is shown lacks something, or is put together of parts: a sentence each. The place stays when there is nothing to say, so
 * that what comes into it is read aloud.
 */
export function Notices({ notices }: NoticesProps) {
  const more = notices.slice(SHOWN);
  return (
    <div role="status" data-testid="notices">
      {notices.length > 0 && (
        <div className="banner calm">
          <Sentences notices={notices.slice(0, SHOWN)} />
          {more.length > 0 && (
            <details>
              <summary>and {more.length} more</summary>
              <Sentences notices={more} />
            </details>
          )}
        </div>
      )}
    </div>
  );
}

function Sentences({ notices }: NoticesProps) {
  return notices.map((notice) => (
    <p key={notice} dir="auto">
      {withOwnTimes(sentence(notice))}
    </p>
  ));
}
