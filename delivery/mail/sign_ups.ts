import { escapeHtml } from "../../std.ts";
import { randomText } from "../../model/crypto/random.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { openMailIds } from "../../services/deliveries/mail_ids.ts";
import {
  admitSignUp,
  CONFIRM_KEY,
  forgetSignUp,
  prepareConfirmation,
  type SignUp,
} from "../../services/subscriptions/sign_ups.ts";
import { createCipherCache } from "../../services/subscriptions/unsubscribe_links.ts";
import type { MailOptions } from "../worker_options.ts";
import { addressMail } from "./list_mail.ts";
import type { MailTools } from "./round.ts";
import { renderMail } from "./template.ts";
import type { Mail } from "./mailer.ts";

/** What sign-ups are answered with. */
export type SignUpTools =
  & Omit<MailTools, "inFlight">
  & Pick<MailOptions, "mailSettings" | "signUpRate">;

/** Mails to people who sign up. */
export interface SignUps {
  /** Begins to mail to somebody, as far as the limits allow, and returns at once. */
  add(signUp: SignUp): void;
  /** Resolves when the mails under way are sent. */
  close(): Promise<void>;
}

// More at a time are a script's, and forgotten.
const MAX_IN_FLIGHT = 100;
const RETRY_MS = [30_000, 300_000];

/** Creates what mails to people who sign up: a link to confirm, or that they are subscribed already. */
export function createSignUps(tools: SignUpTools): SignUps {
  const { storage, mailer, clock, mailSettings, signUpRate: rate, createLink, onError } = tools;
  const getCipher = createCipherCache(CONFIRM_KEY);
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();

  async function carryOut(signUp: SignUp): Promise<void> {
    // The page comes first, so that it takes as long for every address.
    await new Promise((resolve) => setTimeout(resolve));
    const at = new Date(clock.now()).toISOString();
    const { userEmail } = signUp;
    if (!await admitSignUp(storage, userEmail, { rate, at })) return;
    let isTaken = false;
    try {
      isTaken = await sendWithRetries(await writeMail(signUp, at));
    } finally {
      if (!isTaken) await forgetSignUp(storage, userEmail);
    }
  }

  /** Returns `false` where the relay refuses the mail for good, as where an address is mistyped. */
  async function sendWithRetries(mail: Mail): Promise<boolean> {
    for (let attempt = 0;; attempt++) {
      try {
        const { state } = await mailer.send(mail);
        // A mail whose answer was lost may have been sent: nobody gets two for one press.
        if (state !== "deferred") return state !== "refused";
        throw new Error("The relay deferred the mail");
      } catch (error) {
        if (attempt === RETRY_MS.length || closing.signal.aborted) throw error;
        await clock.sleep(RETRY_MS[attempt], closing.signal);
      }
    }
  }

  async function writeMail(signUp: SignUp, at: string): Promise<Mail> {
    const { userEmail } = signUp;
    const { footer, title, publicUrl } = mailSettings;
    const texts = textsOf(mailSettings.language);
    const confirmation = await prepareConfirmation(storage, signUp, at);
    const [subject, text, note, label, url] = confirmation === undefined
      ? [
        texts.alreadySubject(title),
        texts.alreadyText(title, userEmail),
        "",
        texts.unsubscribe,
        await createLink(userEmail),
      ]
      : [
        texts.confirmSubject(title),
        texts.confirmRequest(title, userEmail),
        texts.confirmIgnore,
        texts.confirmLink,
        `${publicUrl}/confirm/${await (await getCipher(storage)).encrypt(
          JSON.stringify(confirmation),
        )}`,
      ];
    const parts = renderMail(mailSettings, {
      title: subject,
      preheader: text,
      hasOneLink: true,
      body: { html: `<p>${escapeHtml(text)}</p>\n`, text },
      action: { label, url },
      footer,
      notes: note === "" ? [] : [note],
    });
    const sender = { settings: mailSettings, ids: await openMailIds(storage) };
    return await addressMail(sender, {
      ...{ name: randomText(32), to: userEmail, subject, ...parts },
      headers: { "Auto-Submitted": "auto-generated" },
    });
  }

  return {
    add(signUp) {
      if (inFlight.size >= MAX_IN_FLIGHT || closing.signal.aborted) return;
      const task = carryOut(signUp).catch(onError).finally(() => inFlight.delete(task));
      inFlight.add(task);
    },
    async close() {
      closing.abort();
      await Promise.all(inFlight);
    },
  };
}
