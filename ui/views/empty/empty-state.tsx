import { Tabs } from 'radix-ui';
import { ROOT } from '../../state/root.ts';
import { useSession } from '../../connection/session.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { PlayDemo } from './play-demo.tsx';
import { senderTexts } from './sender-texts.ts';
import './empty.css';

/** Nothing has come yet: how to send something, with the addresses as they are. */
export function EmptyState() {
  const wantsToken = useSession(({ me }) => me !== undefined && me.by !== 'nobody');
  const address = ROOT.href.replace(/\/$/, '');
  const texts = senderTexts(address, wantsToken);
  return (
    <section className="empty" data-testid="empty-state" aria-labelledby="empty-title">
      <h2 id="empty-title">Nothing yet. Send to {address}</h2>
      <p>Point the OpenTelemetry exporter of your agents here. What they do appears at once, and why.</p>
      <Tabs.Root defaultValue={texts[0]?.name ?? ''} className="sender">
        <Tabs.List className="tabs" aria-label="Ways to send">
          {texts.map(({ name, label }) => (
            <Tabs.Trigger key={name} value={name} className="tab">
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {texts.map(({ name, label, text }) => (
          <Tabs.Content key={name} value={name} className="sender-text">
            <pre tabIndex={0} aria-label={label}>
              {text}
            </pre>
            <CopyButton text={text} label="Copy" />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      {/* With a cookie nothing is sent. */}
      {!wantsToken && <PlayDemo />}
    </section>
  );
}
