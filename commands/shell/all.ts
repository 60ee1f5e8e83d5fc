import { bounceCommands } from "../bounces.ts";
import { callCommand } from "../call.ts";
import { entryCommands } from "../entries.ts";
import { imageCommands } from "../images.ts";
import { keyCommands } from "../keys.ts";
import { postCommands } from "../posts.ts";
import { serveCommand } from "../serve/serve.ts";
import { statusCommand } from "../status.ts";
import { checkCommand } from "../storage/check.ts";
import { copyCommand, migrateCommand } from "../storage/copy.ts";
import { subscriberCommands } from "../subscribers.ts";
import type { Command } from "./command.ts";

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  callCommand,
  ...keyCommands,
  ...subscriberCommands,
  ...entryCommands,
  ...postCommands,
  ...imageCommands,
  ...bounceCommands,
  statusCommand,
  checkCommand,
  copyCommand,
  migrateCommand,
];
