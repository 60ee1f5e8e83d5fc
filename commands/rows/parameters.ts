import type { FileParameter } from "../../model/imports/parameters.ts";
import type { TextFields } from "../api/request.ts";
import { type Arguments, type Option, option } from "../shell/options.ts";

type Parameters = Readonly<Record<string, FileParameter>>;

/** Describes the flags that set the parameters of an import or an export. */
export function flagOptions(parameters: Parameters): readonly Option[] {
  return Object.values(parameters).flatMap(({ flag, schema: { description = "", enum: words } }) =>
    flag === undefined ? [] : option(
      flag,
      description.replaceAll("`", "") + (words ? ` One of ${words.join(", ")}.` : ""),
    )
  );
}

/** Returns the flag that sets each parameter, such as `--dry-run`. */
export function flagNames(parameters: Parameters): TextFields {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { flag }]) =>
      flag === undefined ? [] : [[name, `--${flag.split(" ")[0]}`]]
    ),
  );
}

/** Returns the query parameters that flags set; a flag without a value gives `true`. */
export function readFlags(args: Arguments, flags: TextFields): TextFields {
  const query: Record<string, string> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const option = flag.replace(/^--/, "");
    if (args.flag(option)) query[name] = args.text(option) ?? "true";
  }
  return query;
}
