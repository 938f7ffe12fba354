import { Link } from 'wouter';

/** The way from any page back to the list of runs. */
export function BackToRuns() {
  return (
    <Link href="/" className="back" aria-label="All runs">
      ‹ <span>Runs</span>
    </Link>
  );
}
