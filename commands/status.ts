import type { Audience, Stats, TitledDelivery } from "../model/stats.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import type { TextFields } from "./api/request.ts";
import type { Command } from "./shell/command.ts";
import { JSON_OPTION, option } from "./shell/options.ts";
import { printable } from "./shell/layout.ts";
import { formatTable } from "./shell/table.ts";

const ATTENTION_STATUS = 1;
const TITLE_WIDTH = 14;
const TITLES = ["ENTRY", "STATE", "RECIPIENTS", "SENT", "FAILED", "DEFERRED", "SKIPPED", "PROBLEM"];

/** Shows the state of the service. */
export const statusCommand: Command = {
  name: "status",
  summary: "Show the state of the service, and what needs attention",
  options: [
    option("labels WORDS", "Count who would get an entry with these labels, too."),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "Shows the subscribers, entries, newest deliveries, storage, worker and relay. What needs attention " +
    "comes last, and makes the exit status 1.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs metrics:read.",
  statuses: { 1: "It failed, or something needs attention." },
  example: "boardcast status --server https://updates.example.com",
  async run(invocation) {
    const { args, terminal } = invocation;
    const labels = args.text("labels");
    const access = { isReading: true, mustExist: true, flags: { labels: "--labels" } };
    const text = await withApi(invocation, access, async (send) => {
      const query: TextFields = labels === undefined ? {} : { labels };
      return await (await send({ method: "GET", path: "/api/v1/stats", query })).text();
    });
    const stats: Stats = JSON.parse(text);
    terminal.out(args.flag(JSON_OPTION.name) ? text : printable(formatStats(stats)));
    return stats.attention.length > 0 ? ATTENTION_STATUS : 0;
  },
};

function formatStats(stats: Stats): string {
  const { subscribers, audience, entries, posts, images, deliveries, storage, attention } = stats;
  const text = line("subscribers", counted(subscribers)) +
    (audience === null ? "" : line("audience", describeAudience(audience))) +
    line("entries", counted(entries)) +
    line("posts", counted(posts)) +
    line("forms", `${stats.forms.dropped} dropped`) +
    line("images", `${images.count}, ${formatBytes(images.bytes)}`) +
    line("storage", storage.writable ? "takes writes" : "takes no writes") +
    line("worker", describeWorker(stats)) +
    line("relay", describeRelay(stats)) +
    line("team", `${stats.team.members} members${describeProvider(stats)}`) +
    line("webhooks", describeWebhooks(stats));
  const table = deliveries.length === 0
    ? ""
    : `\n${formatTable([TITLES, ...deliveries.map(cellsOf)])}`;
  return text + table +
    (attention.length === 0 ? "\nNothing needs attention.\n" : "\nNeeds attention:\n") +
    attention.map(({ detail }) => `- ${detail}\n`).join("");
}

function cellsOf(delivery: TitledDelivery): readonly string[] {
  const { entryId, week, postId, state, problem } = delivery;
  const { recipients, sent, failed, deferred, skipped } = delivery;
  const counts = [recipients, sent, failed, deferred, skipped].map(String);
  return [week ?? entryId ?? postId ?? "-", state, ...counts, problem ?? "-"];
}

function line(title: string, text: string): string {
  return `${title.padEnd(TITLE_WIDTH)}${text}\n`;
}

function formatBytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");
}

function describeAudience({ each, weekly, exact }: Audience): string {
  return `${exact ? "" : "about "}${counted({ "by itself": each, "in the week's mail": weekly })}`;
}

function describeWorker({ worker }: Stats): string {
  const { running, mailWaitingSeconds: mails, messageWaitingSeconds: messages } = worker;
  const place = running ? "runs" : "none in this process";
  return `${place}; ${describeWait("mails", mails)}, ${describeWait("messages", messages)}`;
}

function describeWait(what: string, seconds: number): string {
  return seconds === 0 ? `no ${what} are late` : `${what} have been due for ${seconds} s`;
}

function describeProvider({ team: { providerProblem } }: Stats): string {
  return providerProblem === null ? "" : `; the provider fails: ${providerProblem}`;
}

function describeRelay({ relay, worker }: Stats): string {
  if (relay.problem !== null) return relay.problem;
  if (!worker.running) return "none in this process";
  return relay.configured ? "works as far as is known" : "none: nothing is mailed";
}

function describeWebhooks({ webhooks }: Stats): string {
  if (webhooks.length === 0) return "none fails";
  return webhooks.map(({ webhookId, host, enabled }) =>
    `${webhookId} (${host}) ${enabled ? "fails" : "is disabled"}`
  ).join(", ");
}
