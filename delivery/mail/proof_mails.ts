import { clearInterval, setInterval } from "node:timers";
import { cleanOutcome, isUnknownMailbox } from "../../model/deliveries/mail_outcome.ts";
import type { RelayReply } from "../../model/deliveries/refusals.ts";
import { PROOF_MAILS, type ProofMail } from "../../model/proof/pending.ts";
import { limitConcurrency } from "../../model/turns.ts";
import { meterOf } from "../../services/shared.ts";
import { admitForm, type ProofRequest } from "../../services/proof/admission.ts";
import {
  beginMail,
  CLAIM_MS,
  claimProofMail,
  finishMail,
  keepMail,
  listDueProofMails,
  postponeMail,
} from "../../services/proof/outbox.ts";
import type { Channel } from "../loop.ts";
import type { MailOptions } from "../mail_options.ts";
import { type Mail, MailerError, type SendOutcome } from "./mailer.ts";
import { writeProofMail } from "./proof_mail.ts";
import type { MailAttempt } from "./rounds/relay_state.ts";
import type { MailTools } from "./rounds/round.ts";
import { mailboxIdOf } from "../../services/privacy/erased.ts";
import { openCipher } from "../../services/privacy/sealed.ts";

/** Dependencies of {@linkcode createProofMails}. */
export type ProofTools =
  & Omit<MailTools, "inFlight" | "createLink">
  & Pick<MailOptions, "settingsNow" | "signUpRate">;

/** Sends the mails by which people prove their addresses. */
export interface ProofMails {
  /** Takes a form within the limits for forms, and returns immediately. */
  add(request: ProofRequest): void;
  /** The channel that sends mails waiting in storage, such as those that the relay deferred. */
  readonly channel: Channel;
  /** Resolves when the mails in flight are sent. */
  close(): Promise<void>;
}

// Only a script sends more simultaneous forms.
const MAX_FORMS = 100;
const MAX_SENDING = 10;
// The log reports a flood, or a relay that refuses mails, at most once in this time.
const TOLD_EVERY_MS = 60_000;

/** Creates the sender of links for people who use a form. */
export function createProofMails(tools: ProofTools): ProofMails {
  const { storage, mailer, clock, relay, settingsNow, signUpRate: rate, onError } = tools;
  const closing = new AbortController();
  const forms = new Set<Promise<void>>();
  const inLimit = limitConcurrency(MAX_SENDING);
  const now = () => new Date(clock.now()).toISOString();
  let toldMs = -Infinity;
  let refusalToldMs = -Infinity;

  async function take(request: ProofRequest): Promise<void> {
    // The response to the form goes first, so that it takes the same time for every address.
    await new Promise((resolve) => setTimeout(resolve));
    const at = now();
    if (await admitForm(storage, request, { rate, at }) !== "mailed") return;
    const mail = await storage.get(PROOF_MAILS, await mailboxIdOf(storage, request.userEmail));
    if (mail !== undefined) await inLimit(() => send(mail));
  }

  async function send(claimed: ProofMail): Promise<void> {
    const recipient = (await openCipher(storage, "pending")).decrypt(`${claimed.recipient}`);
    if (recipient === undefined) return await finishMail(storage, claimed);
    const mailSettings = await settingsNow();
    const mail = await writeProofMail(claimed, recipient, { storage, mailSettings, at: now() });
    const outcome = await handOver(claimed, mail);
    if (outcome === "skipped") return;
    // A mail without a reply from the relay may have been sent: nobody gets two mails for one form.
    if (outcome === "sent" || outcome === "unknown") return await finishMail(storage, claimed);
    const isRefused = outcome === "refused";
    const waits = await postponeMail(storage, claimed, { isRefused, now: now() });
    if (waits || isRefused) return;
    onError(new Error("A mail that proves an address was given up: the relay has not taken it"));
  }

  /** Sends a mail; `refused` only if there is no such mailbox, as far as can be known. */
  async function handOver(
    claimed: ProofMail,
    mail: Mail,
  ): Promise<"sent" | "unknown" | "skipped" | "refused" | "deferred"> {
    const attempt = relay.begin(mail.to);
    async function isWanted(): Promise<boolean> {
      const isBegun = await beginMail(storage, claimed, now());
      if (isBegun) attempt.begin();
      return isBegun;
    }
    // A relay may take minutes to answer, and another process would take this one for crashed.
    const keep = () => void keepMail(storage, claimed, now()).catch(onError);
    const keeping = setInterval(keep, CLAIM_MS / 3).unref();
    let outcome: SendOutcome | undefined;
    try {
      outcome = cleanOutcome(await mailer.send(mail, isWanted));
    } catch (error) {
      // Storage failed, or another process has the mail: this process neither sends nor postpones
      // it.
      if ((error as Partial<Error>).name === "StorageError") throw error;
      onError(error);
    } finally {
      clearInterval(keeping);
      attempt.reply(outcome);
    }
    if (outcome === undefined) return "deferred";
    if (outcome.state !== "refused" || isMissing(outcome, attempt)) return outcome.state;
    tellRefusal(outcome);
    return "deferred";
  }

  function tellRefusal({ code, text }: RelayReply): void {
    if (clock.elapsed() - refusalToldMs < TOLD_EVERY_MS) return;
    refusalToldMs = clock.elapsed();
    onError(new MailerError(`The mail relay refused a form's mail, which waits: ${code} ${text}`));
  }

  function refuse(): void {
    meterOf(storage).count("boardcast_sign_ups_total", "dropped");
    if (clock.elapsed() - toldMs < TOLD_EVERY_MS) return;
    toldMs = clock.elapsed();
    onError(new Error(`More than ${MAX_FORMS} forms came at once: some were dropped`));
  }

  return {
    add(request) {
      if (closing.signal.aborted) return;
      if (forms.size >= MAX_FORMS) return refuse();
      const form = take(request).catch(onError).finally(() => forms.delete(form));
      forms.add(form);
    },
    channel: {
      name: "proofs",
      isDue: async () => (await listDueProofMails(storage, now())).length > 0,
      async run({ isOn }) {
        const due = await listDueProofMails(storage, now());
        await Promise.all(due.map((mail) =>
          inLimit(async () => {
            const claimed = isOn() ? await claimProofMail(storage, mail, now()) : undefined;
            if (claimed !== undefined) await send(claimed);
          }).catch(onError)
        ));
      },
    },
    async close() {
      closing.abort();
      await Promise.all(forms);
    },
  };
}

/** Tells whether a refusal is about a mailbox that does not exist. */
function isMissing(outcome: RelayReply, { judgement }: MailAttempt): boolean {
  return isUnknownMailbox(outcome) && judgement !== "relay";
}
