/** The parts that all contenders share: the rules of the model, a board, a map of subscriptions. */
import { isId } from "../../model/values/record_id.ts";
import { parseEmailAddress } from "../../model/values/email_address.ts";
import { Refusal } from "../../model/values/refusal.ts";
import {
  applySubscriptionChange,
  type Subscription,
} from "../../model/subscriptions/subscription.ts";
import { parseBoolean, parseUserName } from "../../model/values/text.ts";

/** The only board. */
export const BOARD = {
  boardId: "feature-requests",
  name: "Feature requests",
  description: null,
  url: null,
  createdAt: "2026-11-21T10:00:00.000Z",
  updatedAt: "2026-11-21T10:00:00.000Z",
};

/** The status and content of an answer. */
export interface Answer {
  readonly status: 200 | 404 | 422;
  readonly content: unknown;
}

const subscriptions = new Map<string, Subscription>();

/** Answers GET /api/v1/boards/:boardId. */
export function getBoard(boardId: string): Answer {
  return isId(boardId) && boardId === BOARD.boardId
    ? { status: 200, content: BOARD }
    : { status: 404, content: { status: 404, code: "board_not_found" } };
}

/** Answers PUT /api/v1/changelogs/subscribe from the decoded fields of its form. */
export function putSubscription(form: Readonly<Record<string, unknown>>): Answer {
  const userEmail = parse(form.userEmail, parseEmailAddress);
  const userName = form.userName === undefined ? "" : parse(form.userName, parseUserName);
  const subscribe = parse(form.subscribe, parseBoolean);
  const errors = [userEmail, userName, subscribe].filter((value) => value instanceof Refusal);
  if (
    userEmail instanceof Refusal || userName instanceof Refusal || subscribe instanceof Refusal
  ) return { status: 422, content: { status: 422, code: "validation_failed", errors } };
  const previous = subscriptions.get(userEmail);
  const subscription = applySubscriptionChange(previous, {
    source: "api",
    userEmail,
    userName: userName || null,
    subscribe,
    at: new Date().toISOString(),
    newId: () => "1",
  });
  subscriptions.set(userEmail, subscription);
  return { status: 200, content: { ...subscription, changed: subscription !== previous } };
}

function parse<T>(value: unknown, rule: (text: string) => T | Refusal): T | Refusal {
  return typeof value === "string" ? rule(value) : new Refusal("required", "is required");
}
