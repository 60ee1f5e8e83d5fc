import { parseInstant } from "./time.ts";
import { Refusal } from "./refusal.ts";

// RFC 3339, with a space for the T, without an offset, as Go writes it ("… +0000 UTC"), and dates alone.
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d)?)?(?: [A-Z]{2,5}| [+-]\d{4}| [+-]\d\d)?$/i;

/**
 * Reads a time as the writers of lists write it, in UTC where it has no offset. Returns it in UTC with
 * milliseconds; `undefined` for what can't be read for certain, such as `3/4/2026`.
 */
export function parseListTime(text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, date, clock = "00:00", seconds = ":00", fraction = "", , hours, minutes = "00"] = match;
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const time = parseInstant(`${date}T${clock}${seconds}${fraction.slice(0, 10)}${offset}`);
  return time instanceof Refusal ? undefined : time;
}
