import type { Result } from "../../../services/deliveries/progress.ts";
import type { Recipient } from "../../../services/deliveries/recipients.ts";
import type { MailAttempt } from "./relay_state.ts";

export interface StartedMail extends Recipient {
  /** The time at which it started, by the monotonic clock. */
  readonly begunMs: number;
  /** The reply, once it is known. */
  reply: MailReply | undefined;
  /** Frees the slot of the mail for another one. */
  readonly release: () => void;
}

/**
 * The outcome of a mail, whether the person had an earlier failure, and the posts that the mail
 * told of.
 */
export interface MailReply extends Pick<Result, "outcome" | "hadFailure" | "told"> {
  /** The mail as the relay's state knows it; absent if the mail was not handed over. */
  readonly attempt?: MailAttempt | undefined;
}

/** The outcome of a mail as it may be stored; it may change until it is final. */
export interface Ruling {
  readonly outcome: Result["outcome"];
  readonly isFinal: boolean;
}

const NO_REPLY_YET: Result["outcome"] = {
  state: "no reply",
  code: "4.4.2",
  text: "The relay has not answered yet",
};
/** Others go first, because the relay may have failed at this mail. */
export const FAILED: Result["outcome"] = { state: "interrupted", waitMs: 60_000 };
const REFUSED_TO_ALL: Result["outcome"] = { state: "interrupted", waitMs: 0 };

/**
 * Rules on the outcome of a mail, by the judgement of the relay's reply. `isOver`: no other mails
 * follow that could change it; `isCut`: others should have followed.
 */
export function ruleOn(
  { reply }: Pick<StartedMail, "reply">,
  { isOver, isCut }: { readonly isOver: boolean; readonly isCut: boolean },
): Ruling {
  if (reply === undefined) return { outcome: NO_REPLY_YET, isFinal: false };
  const { outcome, attempt } = reply;
  if (!("code" in outcome)) return { outcome, isFinal: true };
  const putOff = { ...outcome, state: "put off" } as const;
  switch (attempt?.judgement) {
    case "relay":
      return { outcome: REFUSED_TO_ALL, isFinal: true };
    case "unclear":
      return { outcome: putOff, isFinal: isOver };
    case "presumed":
      if (isCut) return { outcome: FAILED, isFinal: true };
      return isOver ? { outcome, isFinal: true } : { outcome: putOff, isFinal: false };
    default:
      return { outcome, isFinal: true };
  }
}

/** Tells whether a mail was replied to; `undefined` if that is still open. */
export function hasReply({ reply }: Pick<StartedMail, "reply">): boolean | undefined {
  return reply && reply.outcome.state !== "interrupted";
}
