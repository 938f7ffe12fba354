import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);
/** What follows it is not a section of figures. */
const LAST = '## How to read them';

/** The page of figures: each command writes the sections that it makes, and leaves the others as they are. */
export function writePage(page: string): void {
  writeFileSync(PAGE, page);
}

/** A section as it stands on the page, title and all; nothing when there is none. */
export function sectionOf(title: string, page = readFileSync(PAGE, 'utf8')): string {
  const start = page.indexOf(`## ${title}\n`);
  if (start < 0) return '';
  const next = page.indexOf('\n## ', start);
  return page.slice(start, next < 0 ? undefined : next + 1);
}

/** Puts a section in the place of the one with its title, or behind the last one. */
export function writeSection(title: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const section = `## ${title}\n\n${text.trim()}\n\n`;
  const before = sectionOf(title, page);
  writePage(before === '' ? page.replace(LAST, section + LAST) : page.replace(before, () => section));
}
