import { escapeHtml } from "../../std.ts";
import { randomText } from "../../model/crypto/random.ts";
import {
  type Alert,
  findDueAlerts,
  recordAlerts,
  recordFailedAlerts,
  reserveAlert,
} from "../../services/alerts.ts";
import { openMailIds } from "../../services/deliveries/mail_ids.ts";
import type { Channel } from "../loop.ts";
import type { MailOptions } from "../mail_options.ts";
import { addressMail } from "./list_mail.ts";
import { describeFailure, type Mail, MailerError, type SendOutcome } from "./mailer.ts";
import type { MailTools } from "./rounds/round.ts";
import { renderMail } from "./template.ts";

/** Dependencies of {@linkcode createAlertChannel}. */
export interface AlertTools
  extends
    Pick<MailTools, "storage" | "clock" | "mailer" | "relay" | "onError">,
    Pick<MailOptions, "settingsNow"> {
  /** The address of the operator. */
  readonly alertsTo: string;
}

// The relay did not say whether it took the mail; the mail counts as taken.
const NO_REPLY = "4.4.2";

/** Creates the channel that mails the operator about incidents, at most once an hour. */
export function createAlertChannel(tools: AlertTools): Channel {
  const { storage, clock, mailer, relay, settingsNow, alertsTo, onError } = tools;
  const time = () => new Date(clock.now()).toISOString();

  async function write(alerts: readonly Alert[]): Promise<Mail> {
    const mailSettings = await settingsNow();
    const { title, publicUrl } = mailSettings;
    const subject = `${title}: ${alerts.length === 1 ? alerts[0].text : "mailings need attention"}`;
    const items = alerts.map(({ text }) => `<li>${escapeHtml(text)}</li>\n`);
    const parts = renderMail(mailSettings, {
      title: subject,
      preheader: alerts[0].text,
      body: {
        html: `<ul>\n${items.join("")}</ul>\n`,
        text: alerts.map(({ text }) => `- ${text}`).join("\n"),
      },
      action: { label: "Open the studio", url: `${publicUrl}/studio` },
      footer: "",
      notes: ["You get this because --mail-alerts names your address: at most one mail an hour."],
    });
    const sender = { settings: mailSettings, ids: await openMailIds(storage) };
    return await addressMail(sender, {
      name: `alert ${randomText(16)}`,
      to: alertsTo,
      subject,
      ...parts,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  }

  /** Sends a mail; returns the reason if the relay has not taken it. */
  async function send(mail: Mail): Promise<Error | undefined> {
    const attempt = relay.begin(mail.to);
    let outcome: SendOutcome | undefined;
    try {
      outcome = await mailer.send(mail);
      if (!("code" in outcome) || outcome.code === NO_REPLY) return undefined;
      return new MailerError(`The mail relay refused it: ${outcome.code} ${outcome.text}`);
    } catch (error) {
      return error as Error;
    } finally {
      attempt.reply(outcome);
    }
  }

  return {
    name: "alerts",
    isDue: async () => (await findDueAlerts(storage, time())).length > 0,
    async run({ transact }) {
      const alerts = await findDueAlerts(storage, time());
      if (alerts.length === 0) return;
      const mail = await write(alerts);
      await reserveAlert(transact, time());
      const error = await send(mail);
      if (error === undefined) return await recordAlerts(transact, alerts);
      const problem = describeFailure(error);
      const attempts = await recordFailedAlerts(transact, { problem, now: time() });
      if (attempts > 1) return;
      onError(new MailerError(`Cannot mail the operator: ${problem}`, { cause: error }));
    },
  };
}
