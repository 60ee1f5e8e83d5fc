import type { Command } from "./command.ts";
import { bounceCommands } from "../bounces.ts";
import { checkCommand } from "../storage/check.ts";
import { completionsCommand } from "../completions.ts";
import { copyCommand, migrateCommand } from "../storage/copy.ts";
import { entryCommands } from "../entries.ts";
import { imageCommands } from "../images.ts";
import { boardCommands, keyCommands, subscriberCommands } from "../records.ts";
import { serveCommand } from "../serve/serve.ts";
import { statusCommand } from "../status.ts";
import { webhookCommands } from "../webhooks.ts";

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  ...keyCommands,
  ...boardCommands,
  ...entryCommands,
  ...imageCommands,
  ...subscriberCommands,
  ...webhookCommands,
  ...bounceCommands,
  statusCommand,
  completionsCommand,
  checkCommand,
  copyCommand,
  migrateCommand,
];
