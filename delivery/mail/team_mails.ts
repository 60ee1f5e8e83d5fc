import { limitConcurrency } from "../../model/turns.ts";
import { listDueDigests, planDigest } from "../../services/team/digest.ts";
import {
  claimTeamMail,
  type DueMail,
  listDueTeamMails,
  settleMail,
} from "../../services/team/mails.ts";
import type { Channel } from "../loop.ts";
import type { MailOptions } from "../mail_options.ts";
import type { MailTools } from "./rounds/round.ts";
import { writeTeamMail } from "./team_mail.ts";

/** Dependencies of {@linkcode createTeamMails}. */
export type TeamMailTools =
  & Pick<MailTools, "storage" | "clock" | "mailer">
  & Pick<MailOptions, "settingsNow">
  & { readonly onError: (error: unknown) => void };

const MAX_SENDING = 10;

/**
 * Creates the channel that mails codes, invitations and the morning mail to members. A mail whose
 * fate is unknown is sent again: a second copy of a code does no harm.
 */
export function createTeamMails(
  { storage, clock, mailer, settingsNow, onError }: TeamMailTools,
): Channel {
  const now = () => new Date(clock.now()).toISOString();
  const inLimit = limitConcurrency(MAX_SENDING);

  async function send(due: DueMail): Promise<void> {
    let isDone = false;
    try {
      const outcome = await mailer.send(writeTeamMail(due, await settingsNow()));
      isDone = outcome.state === "sent" || outcome.state === "unknown";
    } catch (error) {
      // Storage failed: the claim ends by itself.
      if ((error as Partial<Error>).name === "StorageError") throw error;
      onError(error);
    }
    await settleMail(storage, due.mail, { isDone, now: now() });
  }

  return {
    name: "team",
    isDue: async () => (await listDueTeamMails(storage, now())).length > 0,
    async run({ isOn }) {
      const mails = await listDueTeamMails(storage, now());
      await Promise.all(mails.map((mail) =>
        inLimit(async () => {
          const due = isOn() ? await claimTeamMail(storage, mail, now()) : undefined;
          if (due !== undefined) await send(due);
        }).catch(onError)
      ));
    },
  };
}

/** Creates the channel that plans the morning mail for members, once a day. */
export function createMornings(
  { storage, clock, settingsNow, onError }: Omit<TeamMailTools, "mailer">,
): Channel {
  const morning = async () => ({
    now: new Date(clock.now()).toISOString(),
    timeZone: (await settingsNow()).timeZone,
  });
  return {
    name: "mornings",
    isDue: async () => (await listDueDigests(storage, await morning())).length > 0,
    async run({ isOn }) {
      for (const member of await listDueDigests(storage, await morning())) {
        if (!isOn()) return;
        await planDigest(storage, member, await morning()).catch(onError);
      }
    },
  };
}
