import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { createBoard } from "../../model/board.ts";
import { createDelivery } from "../../model/deliveries/delivery.ts";
import { startDelivery } from "../../model/deliveries/delivery_steps.ts";
import { BOARDS, DELIVERIES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { commitProgress, type Result } from "../../services/deliveries/progress.ts";
import { createPost } from "../../services/posts/create.ts";
import { mergePost, unmergePost } from "../../services/posts/merge.ts";
import { castVote } from "../../services/posts/votes/votes.ts";
import { insertRecord } from "../../services/records.ts";
import { eraseSubscription } from "../../services/subscriptions/erasure.ts";
import {
  changeSubscription,
  updateSubscription,
} from "../../services/subscriptions/subscriptions.ts";
import { createWebhook } from "../../services/webhooks/webhooks.ts";
import { WEBHOOK, type Webhook } from "../../model/webhooks/webhook.ts";
import { fillRecord } from "../../model/resource.ts";
import { forEachRow } from "../_support/rows.ts";
import { sampleSubscription } from "../_support/samples.ts";
import { START } from "../_support/service.ts";

const EMAILS = ["a@example.com", "b@example.com", "c@example.com", "d@example.com"];
const REPLY = { code: "4.2.2", text: "Full" };
const OUTCOMES: readonly Result["outcome"][] = [
  { state: "sent" },
  { state: "deferred", ...REPLY },
  { state: "refused", ...REPLY },
  { state: "interrupted", waitMs: 1_000 },
];

const BY = { source: "api", keyId: null, at: START } as const;

/** Stores two posts with voters of their own. */
async function fillPosts(storage: Storage): Promise<void> {
  const board = { boardId: "ideas", name: "Ideas", visibility: "public", moderation: "first" };
  await insertRecord(
    storage,
    BOARDS,
    createBoard(board as Parameters<typeof createBoard>[0], START),
  );
  for (const postId of ["dark", "night"]) {
    const post = { boardId: "ideas", postId, title: `About ${postId}`, body: null, ...BY };
    await createPost(storage, post);
  }
  for (const [i, userEmail] of EMAILS.entries()) {
    const postId = i < 2 ? "dark" : "night";
    await castVote(storage, { postId, userEmail, vote: true, ...BY });
  }
}

/** Merges the posts up to the first step, after which their votes are still to be copied. */
async function interruptMerge(storage: Storage): Promise<void> {
  let steps = 0;
  const failing: Storage = {
    ...storage,
    transact: (refs, decide) =>
      ++steps === 1 ? storage.transact(refs, decide) : Promise.reject(new Error("Interrupted")),
  };
  const merge = { boardId: "ideas", postId: "dark", into: "night", at: START };
  await assertRejects(() => mergePost(failing, merge), Error, "Interrupted");
}

/** A step on a storage; `inner` is the same storage, for what the step needs beforehand. */
type Step = (storage: Storage, inner: Storage) => Promise<unknown>;

/** The steps. Everybody is subscribed, and one webhook gets all types. */
const STEPS: Readonly<Record<string, Step>> = {
  "a change of a subscription": (storage) =>
    changeSubscription(storage, {
      userEmail: EMAILS[0],
      subscribe: false,
      source: "api",
      at: START,
      keyId: null,
      userName: null,
    }),
  "a change of a name": (storage) =>
    updateSubscription(storage, EMAILS[0], { change: { userName: "Ann" }, at: START }),
  "a change of a pace before the first publication": (storage) =>
    updateSubscription(storage, EMAILS[0], { change: { pace: "weekly" }, at: START }),
  "a change of somebody who is not there": (storage) =>
    updateSubscription(storage, "nobody@example.com", { change: { pace: "weekly" }, at: START }),
  "an erasure of a subscriber": (storage) => eraseSubscription(storage, EMAILS[0], { at: START }),
  "an erasure of somebody who is not there": (storage) =>
    eraseSubscription(storage, "nobody@example.com", { at: START }),
  "a withdrawal of a vote that a merge has not copied yet": async (storage, inner) => {
    await fillPosts(inner);
    await interruptMerge(inner);
    const request = { postId: "dark", userEmail: EMAILS[0], vote: false, ...BY };
    const outcome = await castVote(storage, request);
    assert(typeof outcome === "object" && outcome.changed);
  },
  "a merge and its end": async (storage, inner) => {
    await fillPosts(inner);
    await mergePost(storage, { boardId: "ideas", postId: "dark", into: "night", at: START });
    await unmergePost(storage, { boardId: "ideas", postId: "dark", at: START });
  },
  "the progress of a delivery": async (storage) => {
    const delivery = startDelivery(createDelivery("a", START), 4, { now: START });
    await insertRecord(storage, DELIVERIES, delivery);
    const results = OUTCOMES.map((outcome, i) => ({
      userEmail: EMAILS[i],
      place: EMAILS[i],
      deferral: undefined,
      passed: 0,
      attempts: 0,
      outcome,
      hadFailure: false,
    }));
    const progress = { delivery, results, now: START };
    assertEquals(await commitProgress(storage, storage.transact, progress), true);
  },
};

describe("on PostgreSQL", () => {
  it("a step that runs often keeps nobody else from creating records, as all its refs name records", async () => {
    await forEachRow(Object.entries(STEPS), async ([, step]) => {
      const storage = openMemoryStorage();
      for (const email of EMAILS) {
        await insertRecord(storage, SUBSCRIPTIONS, sampleSubscription(email));
      }
      const webhook = fillRecord<Webhook>(WEBHOOK, {
        ...{ webhookId: "w", url: "https://example.com", secret: "whsec_a", createdAt: START },
        ...{ updatedAt: START, types: ["subscriber.unsubscribed", "subscriber.updated"] },
      });
      await createWebhook(storage, webhook);
      const absent = watchAbsent(storage);
      await step(absent.storage, storage);
      assertEquals(absent.names, []);
    });
  });
});

/** Collects the refs that stay absent in transactions with several refs. */
function watchAbsent(storage: Storage): { storage: Storage; names: readonly string[] } {
  const names: string[] = [];
  return {
    names,
    storage: {
      ...storage,
      transact: (refs, decide) =>
        storage.transact(refs, (found) => {
          const decision = decide(found);
          const isAlone = (name: string) =>
            found[name] === undefined && decision.put?.[name] === undefined;
          if (Object.keys(refs).length > 1) {
            for (const name of Object.keys(refs)) {
              if (isAlone(name)) names.push(`${refs[name].kind.name} ${refs[name].key}`);
            }
          }
          return decision;
        }),
    },
  };
}
