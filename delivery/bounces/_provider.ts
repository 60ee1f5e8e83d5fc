import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { classify, confirmPermanent, findCode } from "../../model/bounces/status.ts";
import { asList, asObject, asText, asTime, type Json } from "./_values.ts";

/** Describes the events of a provider: where their members are, and the meaning of their words. */
export interface BounceProvider {
  /** The members by which a provider's events are recognised, for error messages. */
  readonly marks: string;
  /** Tells whether an object comes from this provider. */
  isOwn(object: Json): boolean;
  /** Returns the events in an object, by default the object itself. */
  eventsIn?(object: Json): readonly Json[];
  /**
   * Paths of the members that may hold each part of an event, the most reliable first. A dot leads
   * to a member of a member.
   */
  readonly members: Readonly<Record<"address" | "at" | "text", readonly string[]>> & {
    readonly code?: readonly string[];
    readonly messageId?: readonly string[];
  };
  /** Returns the words that classify an event, the most specific first. */
  wordsOf(event: Json): readonly string[];
  /**
   * The type for each word, written in lower-case letters and digits. An unlisted word gives
   * `other`.
   */
  readonly types: Readonly<Record<string, ProviderType>>;
}

/**
 * The type that a provider's word stands for. `permanent` becomes `temporary` if the status code
 * says that the mailbox exists; `judged` depends on status code and text alone.
 */
export type ProviderType = BounceType | "judged";

export function readEvents(provider: BounceProvider, object: Json): readonly BounceEvent[] {
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
  { wordsOf, types }: BounceProvider,
  event: Json,
  { code, text }: { readonly code: string; readonly text: string },
): BounceType {
  const word = wordsOf(event).map(normalize).find((word) => Object.hasOwn(types, word));
  const type = word === undefined ? "other" : types[word];
  if (type === "permanent") return confirmPermanent(code);
  return type === "judged" ? classify(code, text) : type;
}

/** Normalises a word, since providers spell one word in several ways. */
function normalize(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9 ]/g, "").trim();
}

/** Returns the value at a path; joins the texts of a list. */
function valueAt(event: Json, path: string): unknown {
  const value = path.split(".").reduce<unknown>((found, name) => asObject(found)[name], event);
  return Array.isArray(value) ? asList(value).map((one) => asText(one)).join(" ") : value;
}
