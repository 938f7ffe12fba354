import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface OpenPage {
  readonly page: Page;
  /** What the browser complained of: errors, and what the policy refused. */
  readonly problems: readonly string[];
}

/** Opens the page in a browser profile of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}
