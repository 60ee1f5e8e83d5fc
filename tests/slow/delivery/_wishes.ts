/**
 * A model of what people want to get, without clocks of servers: each wish was changed by requests,
 * of which the sending and the answer are known.
 */

/** A wish of a person: to be a subscriber, or to hear of a post. */
export type Wish = "changelog" | `idea ${number}`;

/** A change of a wish; it took effect between its request and its answer. */
interface WishChange {
  readonly isWanted: boolean;
  readonly sentMs: number;
  answeredMs: number;
}

/** A period, by the monotonic clock of the test. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A person, and how their wishes changed. */
export class Person {
  readonly #changes = new Map<Wish, WishChange[]>();
  /** The requests that erased the person: no record tells then that they had a mail. */
  readonly erasures: Period[] = [];
  /** The path of the link in the newest mail, and whether it ends what they asked for alone. */
  link: { readonly path: string; readonly endsAsksOnly: boolean } | undefined;

  constructor(readonly email: string, wishes: readonly Wish[]) {
    for (const wish of wishes) {
      this.#changes.set(wish, [{ isWanted: true, sentMs: -Infinity, answeredMs: -Infinity }]);
    }
  }

  /** The ideas that the person has ever asked to hear of. */
  get ideas(): readonly Wish[] {
    return [...this.#changes.keys()].filter((wish) => wish !== "changelog");
  }

  /** Begins to change some wishes; the function that it returns notes the answer. */
  change(wishes: readonly Wish[], isWanted: boolean): () => void {
    const begun = wishes.map((wish) => {
      const change = { isWanted, sentMs: performance.now(), answeredMs: Infinity };
      this.#changes.set(wish, [...this.#changes.get(wish) ?? [], change]);
      return change;
    });
    return () => begun.forEach((change) => change.answeredMs = performance.now());
  }

  /** Returns the values that a wish may have had in a period. */
  valuesIn(wish: Wish, { fromMs, toMs }: Period): ReadonlySet<boolean> {
    const first = { isWanted: false, sentMs: -Infinity, answeredMs: -Infinity };
    const changes = [first, ...this.#changes.get(wish) ?? []];
    return new Set(
      changes.filter(({ sentMs }, at) =>
        sentMs <= toMs && (changes[at + 1]?.answeredMs ?? Infinity) >= fromMs
      ).map(({ isWanted }) => isWanted),
    );
  }

  /** Tells when the person had mails and changed wishes, in seconds after the first mail. */
  tell(...mailedMs: readonly number[]): string {
    const [startMs] = mailedMs;
    const inSeconds = (ms: number) => ((ms - startMs) / 1_000).toFixed(1);
    const events = [
      ...mailedMs.map((atMs) => [atMs, "mail"] as const),
      ...this.erasures.map(({ fromMs, toMs }) =>
        [fromMs, `erasure until ${inSeconds(toMs)}`] as const
      ),
      ...[...this.#changes].flatMap(([wish, changes]) =>
        changes.map(({ isWanted, sentMs, answeredMs }) =>
          [sentMs, `${isWanted ? "+" : "-"}${wish} until ${inSeconds(answeredMs)}`] as const
        )
      ),
    ];
    return events.sort(([a], [b]) => a - b).map(([ms, text]) => `${inSeconds(ms)} ${text}`).join(
      ", ",
    );
  }

  /** Tells whether a wish held all the time. */
  isSure(wish: Wish, period: Period): boolean {
    return !this.valuesIn(wish, period).has(false);
  }

  /** Tells whether a wish may have held for a moment. */
  mayWant(wish: Wish, period: Period): boolean {
    return this.valuesIn(wish, period).has(true);
  }
}

/** A mail that the relay took. */
export interface TakenMail {
  readonly to: string;
  /** The number of the process that sent it. */
  readonly process: number;
  readonly ideas: readonly Wish[];
  readonly atMs: number;
}

/** A process that sent mails. */
export interface Life {
  readonly startMs: number;
  isKilled: boolean;
}

/** The most mails that a process may have in flight. */
const IN_FLIGHT = 100;
// A busy machine may take so long between the decision to mail and the mail.
const DECISION_MS = 5_000;

/** The result of a check of mails. */
export interface CheckedMails {
  readonly faults: readonly string[];
  /** The number of mails that somebody got again. */
  readonly repeats: number;
  /** The number of repeats after another server took over from one that was not killed. */
  readonly takenOver: number;
}

/**
 * Checks the mails of one delivery against what people wanted. A wish that held throughout the
 * period `told` must have led to a mail.
 */
export function checkMails(
  mails: readonly TakenMail[],
  { people, lives, told, wishes }: {
    readonly people: ReadonlyMap<string, Person>;
    readonly lives: readonly Life[];
    readonly told: Period;
    /** The wishes that the delivery meets. */
    readonly wishes: readonly Wish[];
  },
): CheckedMails {
  const faults: string[] = [];
  const own = lives.map((_, process) => mails.filter((mail) => mail.process === process));
  const inFlight = new Set(
    own.flatMap((some, process) => lives[process].isKilled ? some.slice(-IN_FLIGHT) : []),
  );
  const first = new Map<string, TakenMail>();
  let repeats = 0;
  let takenOver = 0;
  for (const mail of mails) {
    const { to, atMs, ideas, process } = mail;
    const person = people.get(to);
    if (person === undefined) {
      faults.push(`${to} is nobody`);
      continue;
    }
    const fromMs = Math.max(lives[process].startMs, atMs - DECISION_MS);
    const decided = { fromMs, toMs: atMs };
    const unwanted = ideas.filter((idea) => !person.mayWant(idea, decided));
    if (unwanted.length > 0) faults.push(`${to} did not ask for ${unwanted}`);
    const left = person.ideas.filter((idea) =>
      wishes.includes(idea) && person.isSure(idea, decided) && !ideas.includes(idea)
    );
    if (left.length > 0) faults.push(`${to} is not told of ${left}`);
    const isSubscriber = wishes.includes("changelog") && person.mayWant("changelog", decided);
    if (ideas.length === 0 && !isSubscriber) faults.push(`${to} wanted no mail`);
    const before = first.get(to);
    first.set(to, mail);
    if (before === undefined) continue;
    repeats++;
    // A server that stands still on a busy machine loses its lease to the other one.
    const since = own[before.process].filter((one) => one.atMs > before.atMs && one.atMs < atMs);
    const isTakenOver = before.process !== process && since.length < IN_FLIGHT;
    if (!lives[before.process].isKilled && isTakenOver) {
      takenOver++;
      continue;
    }
    const wasErased = person.erasures.some(({ fromMs, toMs }) =>
      fromMs < atMs && toMs > before.atMs - DECISION_MS
    );
    if (!inFlight.has(before) && !wasErased) {
      faults.push(
        `${to} got it twice, from the processes ${before.process} and ${process}; then ` +
          person.tell(before.atMs, atMs),
      );
    }
  }
  for (const person of people.values()) {
    const isDue = wishes.some((wish) => person.isSure(wish, told));
    if (isDue && !first.has(person.email)) faults.push(`${person.email} was missed`);
  }
  return { faults, repeats, takenOver };
}
