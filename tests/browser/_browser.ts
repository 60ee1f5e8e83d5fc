import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium, or says how to get it. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `Cannot find a browser at ${CHROMIUM}: install it (apt-get install -y chromium), or name ` +
        "another in the variable CHROMIUM",
    );
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
