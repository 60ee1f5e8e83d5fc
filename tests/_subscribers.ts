import { type CommandLine, withFile } from "./_cli.ts";
import type { CommandResult } from "./_process.ts";

/** The first line of a list in CSV. */
export const HEADER = "userEmail,userName,subscribed\n";

/** Imports a list. */
export function importText(
  command: CommandLine,
  text: string | Uint8Array,
  ...flags: string[]
): Promise<CommandResult> {
  return withFile(text, (path) => command.run("subscribers", "import", path, ...flags));
}

/** All subscriptions, as `address name state`. */
export async function stored({ storage }: CommandLine): Promise<string[]> {
  const list = await storage.subscriptions.list({ limit: 1_000_000 });
  return list.map(({ userEmail, userName, subscribed }) =>
    `${userEmail} ${userName} ${subscribed}`
  );
}

/** Rows of a list, of which one in ten is unsubscribed. */
export function rows(count: number): string {
  let text = "";
  for (let n = 0; n < count; n++) text += `user${n}@example.com,User ${n},${n % 10 !== 0}\n`;
  return text;
}
