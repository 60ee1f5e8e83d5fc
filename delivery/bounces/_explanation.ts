import type { MailPart } from "./_mail.ts";
import { saysUnknown } from "../../model/bounces/reasons.ts";
import { findCode } from "../../model/bounces/status.ts";

/** The part of a report that is written for people. */
export interface Explanation {
  /** The text, without the mail that the report may quote. */
  readonly text: string;
  /** The header and start of the quoted mail; empty if the report quotes none. */
  readonly copy: string;
  /** The addresses in the text, in lower case and in order of appearance. */
  readonly addresses: readonly string[];
  /**
   * Returns the reason that the text gives for an address, in one line: the words after the
   * address, or the start of the text if the report is about this address alone.
   */
  reasonFor(address: string, isOnly: boolean): string;
}

// A header field at the start of a line begins the quoted mail. Other quotations in reports are
// indented, or consist of a subject and a date.
const COPY =
  /^(?:Received|Return-Path|Message-ID|DKIM-Signature|MIME-Version|X-[\w-]+):|^(?:From|To):.*\n[A-Z][\w-]*:/im;
const QUOTED = /^> ?Final-Recipient:/im;
const ADDRESS =
  /(?<=^|[\s<>()[\]"'`,;:=|])[^\s@<>()[\]"'`,;:=|]{1,64}@[^\s@<>()[\]"'`,;:|]{3,255}/g;
const REPLY = /(?:^|[\s:(])[45]\d\d[\s-]/;
const STARTS_WITH_REPLY = /^[\s<>]{0,20}[45]\d\d[\s-]/;
const MAX_LENGTH = 16 * 1024;
const MAX_ADDRESSES = 100;
const MAX_REPLY_LENGTH = 1_000;

/** Reads the part of a report that is written for people. */
export function readExplanation(mail: MailPart): Explanation {
  const all = readText(mail).trimStart().slice(0, MAX_LENGTH);
  const start = all.search(COPY);
  const [text, copy] = start < 0 ? [all, ""] : [all.slice(0, start), all.slice(start)];
  const replies = collectReplies(text);
  return {
    text,
    copy,
    addresses: [...replies.keys()],
    reasonFor(address, isOnly) {
      const own = inOneLine(replies.get(address.toLowerCase()) ?? "");
      if (!isOnly || saysUnknown(own)) return own;
      const start = inOneLine(text.slice(0, MAX_REPLY_LENGTH));
      return findCode(own) === "" || saysUnknown(start) ? start : own;
    },
  };
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/^[>:. ]+/, "").trim();
}

function readText(mail: MailPart): string {
  const part = mail.parts.find(({ mediaType }) => mediaType === "text/plain") ??
    mail.parts.find(({ mediaType }) => mediaType === "text/html") ?? mail;
  if (part.mediaType !== "text/html") {
    // A forwarded report has `> ` before its lines.
    return QUOTED.test(part.content) ? part.content.replace(/^> ?/gm, "") : part.content;
  }
  return part.content.replace(/<[^<>]*>/g, " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}

/**
 * Collects the text about each address: the rest of its line and the lines after it, until an empty
 * line or a line with other addresses. One pass collects all addresses, so that the time does not
 * grow with their number.
 */
function collectReplies(text: string): ReadonlyMap<string, string> {
  const replies = new Map<string, string>();
  let current: readonly string[] = [];
  let previous = "";

  function add(address: string, words: string): void {
    const before = replies.get(address) ?? "";
    const after = before.length < MAX_REPLY_LENGTH ? `${before} ${words}` : before;
    replies.set(address, after.slice(0, MAX_REPLY_LENGTH));
  }

  for (const line of text.split("\n")) {
    const named: string[] = [];
    for (const { 0: word, index } of line.matchAll(ADDRESS)) {
      const address = word.replace(/[.!?]{1,9}$/, "").toLowerCase();
      if (!replies.has(address) && replies.size === MAX_ADDRESSES) break;
      if (named.includes(address)) continue;
      named.push(address);
      const hasReplyBefore = replies.has(address) ||
        REPLY.test(line.slice(0, index).slice(-MAX_REPLY_LENGTH));
      const start = hasReplyBefore ? 0 : index + word.length;
      add(address, line.slice(start, start + MAX_REPLY_LENGTH));
    }
    if (named.length > 0) current = named;
    // A reply right after another reply is about another address.
    else if (line.trim() === "" || STARTS_WITH_REPLY.test(line) && REPLY.test(previous)) {
      current = [];
    } else for (const address of current) add(address, line.slice(0, MAX_REPLY_LENGTH));
    previous = line.slice(0, MAX_REPLY_LENGTH);
  }
  return replies;
}
