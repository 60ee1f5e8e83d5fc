import type { Command } from "./_command.ts";

/** The commands that manage boards. */
export const boardCommands: readonly Command[] = [];
