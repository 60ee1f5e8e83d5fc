import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { classify, confirmPermanent, findCode } from "../../model/bounces/status.ts";
import { asList, asObject, asText, asTime, type Json } from "./_values.ts";

/** How the events of a provider are read: where they have what, and what their words come to. */
export interface Provider {
  /** What its events are known by, for people. */
  readonly knownBy: string;
  /** Tells whether an object is of this provider. */
  isOwn(object: Json): boolean;
  /** Returns the events in an object, by default the object itself. */
  eventsIn?(object: Json): readonly Json[];
  /** The members that may have each part of an event, the surest first; those within another behind a dot. */
  readonly members: Readonly<Record<"address" | "at" | "text", readonly string[]>> & {
    readonly code?: readonly string[];
    readonly messageId?: readonly string[];
  };
  /** Returns the words that tell what an event is, the most telling first. */
  wordsOf(event: Json): readonly string[];
  /** What words come to, in small letters and digits; any other is of no consequence. */
  readonly types: Readonly<Record<string, ProviderType>>;
}

/**
 * What a word of a provider comes to. What is `permanent` is so unless the code says that the mailbox is
 * there; what is `judged` depends on code and text alone.
 */
export type ProviderType = BounceType | "judged";

/** Reads the events in an object of a provider. */
export function readEvents(provider: Provider, object: Json): readonly BounceEvent[] {
  const { address, at, text: said, code: coded = [], messageId } = provider.members;
  return (provider.eventsIn?.(object) ?? [object]).map((event) => {
    const find = (paths: readonly string[]) => asText(...paths.map((path) => valueAt(event, path)));
    const text = find(said).trim();
    const given = find(coded);
    const code = findCode(given, text) || given;
    return {
      address: find(address).replace(/^[^<]*<([^<>]*)>$/, "$1"),
      type: typeOf(provider, event, { code, text }),
      at: asTime(...at.map((path) => valueAt(event, path))),
      code,
      text,
      ...(messageId !== undefined && { messageId: find(messageId) }),
    };
  });
}

function typeOf(
  { wordsOf, types }: Provider,
  event: Json,
  { code, text }: { readonly code: string; readonly text: string },
): BounceType {
  const word = wordsOf(event).map(plain).find((word) => Object.hasOwn(types, word));
  const type = word === undefined ? "other" : types[word];
  if (type === "permanent") return confirmPermanent(code);
  return type === "judged" ? classify(code, text) : type;
}

/** Providers spell one word in several ways. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9 ]/g, "").trim();
}

/** Returns what is at a path; of a list of texts, all of them. */
function valueAt(event: Json, path: string): unknown {
  const value = path.split(".").reduce<unknown>((found, name) => asObject(found)[name], event);
  return Array.isArray(value) ? asList(value).map((one) => asText(one)).join(" ") : value;
}
