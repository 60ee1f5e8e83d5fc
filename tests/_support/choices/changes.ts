import { assert } from "@std/assert";
import type { TestService } from "../service.ts";
import { LABELS, type Person, type State } from "./people.ts";

/** The means of a change: the API, or the link in a mail. */
export interface Change {
  readonly service: TestService;
  /** The path of the link in a mail to the person; absent before the first mail. */
  readonly link: string | undefined;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Changes a person's choices, perhaps twice in a row. Does nothing while another change of theirs
 * is in flight.
 */
export async function changeSomething(
  person: Person,
  { service, link, random }: Change,
): Promise<void> {
  const { email, state } = person;
  if (state === undefined || person.pending.length > 0) return;
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)];
  const path = `changelogs/subscribers/${email}`;

  async function turnTo(next: State | undefined, send: () => Promise<Response>): Promise<void> {
    person.pending = [next];
    for (let status = 503; status === 503;) {
      // Storage may miss its deadline on a busy machine.
      const response = await send();
      await response.body?.cancel();
      status = response.status;
      assert(status < 300 || status === 503 || status === 404 && next === undefined, `${status}`);
    }
    person.states.push(next);
    person.pending = [];
  }

  const dice = random();
  if (dice < 0.04) {
    await turnTo(undefined, () => service.send("DELETE", path));
  } else if (dice < 0.15) {
    const isSubscribed = !state.isSubscribed;
    const form = { userEmail: email, subscribe: `${isSubscribed}` };
    const oneClick = { "List-Unsubscribe": "One-Click" };
    await turnTo(
      { ...state, isSubscribed },
      () =>
        isSubscribed || link === undefined
          ? service.send("PUT", "changelogs/subscribe", { form })
          : service.send("POST", link, { key: null, form: oneClick }),
    );
  } else if (dice < 0.5) {
    const labels = pick([null, [pick(LABELS)], LABELS.slice(1)]);
    await turnTo({ ...state, labels }, () => service.send("PATCH", path, { json: { labels } }));
  } else {
    for (let turns = pick([1, 1, 2, 3]); turns > 0; turns--) {
      const now: State = person.state!;
      const { labels } = now;
      const pace = now.pace === "each" ? "weekly" : "each";
      const boxes = Object.fromEntries(labels?.map((label, i) => [`label${i + 1}`, label]) ?? []);
      const form = { choose: labels === null ? "all" : "some", pace, ...boxes };
      await turnTo(
        { ...now, pace },
        () =>
          link !== undefined && now.isSubscribed
            ? service.send("POST", `${link}/choices`, { key: null, form })
            : service.send("PATCH", path, { json: { pace } }),
      );
    }
  }
}
