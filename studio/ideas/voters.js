/** @import { Visit } from "../places.js" */
/** @import { Column } from "../parts.js" */
/** @import { Idea } from "./saving.js" */
// The votes of an idea: by source, by day, by domain, and one by one.

import { call, path, send } from "../client.js";
import { may } from "../session.js";
import { address, button, count, date, download, h, t, word } from "../dom.js";
import { facts, table } from "../parts.js";
import { action } from "../task.js";
import { pathOf, placeOf } from "./saving.js";

const SHOWN_VOTERS = 100;
const SVG = "http://www.w3.org/2000/svg";

/** @typedef {import("../../model/posts/vote.ts").ShownVote} Voter */

/** @typedef {import("../../model/posts/votes_summary.ts").VotesSummary} Summary */
/** @typedef {Required<Summary> & { data: readonly Voter[] }} Votes */

/**
 * Reads the voters of an idea, by source, by domain, and one by one.
 *
 * @param {string} base
 * @param {AbortSignal} signal
 * @returns {Promise<Votes>}
 */
export async function readVotes(base, signal) {
  const query = { limit: `${SHOWN_VOTERS}` };
  const [summary, { data }] = await Promise.all([
    call("GET", `${base}/votes/summary?asked=true`, { signal }),
    call("GET", `${base}/votes`, { query, signal }),
  ]);
  return { ...summary, data };
}

/** Names a person, with the domain of the address. @param {Voter} voter */
export function nameOf({ userEmail, userName }) {
  return [
    userName && [h("bdi", null, userName), " · "],
    h("bdi", null, userEmail),
  ];
}

/** Says how a vote came in. @param {Voter} voter */
function sourceOf({ source, addedBy }) {
  return addedBy === null ? word(`from_${source}`) : t("addedBy", { name: addedBy });
}

/** Names the merged ideas through which a vote came. @param {Idea} idea @param {Voter} voter */
function viaOf({ boardId, merged = [] }, { via }) {
  const ids = [via ?? []].flat();
  return ids.length > 0 && [
    " · ",
    t("through"),
    " ",
    ids.map((postId, index) => [
      index > 0 && ", ",
      h("a", { href: address(["ideas", boardId, postId]) }, [
        h("bdi", null, merged.find((one) => one.postId === postId)?.title ?? postId),
      ]),
    ]),
  ];
}

/** Draws a line of the votes of each day. @param {readonly { votes: number }[]} byDay */
export function lineOf(byDay) {
  const most = Math.max(1, ...byDay.map(({ votes }) => votes));
  const sum = byDay.reduce((sum, { votes }) => sum + votes, 0);
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "polyline");
  const points = byDay.map(({ votes }, index) => `${index * 4},${25 - votes / most * 22}`);
  line.setAttribute("points", points.join(" "));
  svg.setAttribute("viewBox", `0 0 ${(byDay.length - 1) * 4} 28`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "line");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("lately", { n: sum }));
  svg.append(line);
  return [svg, h("small", null, t("lately", { n: sum }))];
}

/**
 * Shows whose votes they are.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {Votes} read
 * @param {{ quote: ((words: string) => Promise<void>) | undefined }} options `quote` adds a reason
 *   to the answer of the team.
 */
export function voters(visit, idea, { bySource, byDomain, asked, data: votes }, { quote }) {
  const base = pathOf(idea);
  const all = byDomain.reduce(
    (/** @type {number} */ sum, /** @type {{ votes: number }} */ { votes }) => sum + votes,
    0,
  );
  const saving = action(visit, t("export"), {
    name: t("voters"),
    async run() {
      const response = await send("GET", `${base}/votes`, { accept: "text/csv" });
      download(`${idea.postId}-votes.csv`, await response.blob(), "text/csv");
    },
    done: t("exportedThem"),
  });
  const isOpen = idea.state === "public" && !["shipped", "declined"].includes(idea.status);
  const adding = isOpen && may("posts:write") && addVoter(visit, idea);
  /** @type {readonly Column[]} */
  const reasons = votes.some(({ why }) => why !== null)
    ? [[t("why"), ({ why, userEmail }) =>
      why && [
        h("span", { class: "words", dir: "auto" }, why),
        quote && button(t("quoteIt"), () => quote(why), {
          class: "link",
          "aria-label": t("quoteWhose", { name: userEmail }),
        }),
      ], "reason"]]
    : [];
  const title = h("div", { class: "head" }, [
    h("h2", null, t("voters")),
    h("div", { class: "actions" }, adding, byDomain.length > 0 && saving),
  ]);
  if (byDomain.length === 0) return adding && title;
  const sources = Object.entries(bySource).filter(([, votes]) => votes > 0);
  return [
    title,
    facts("numbers", [
      ...sources.map((
        [source, votes],
      ) => /** @type {const} */ ([word(`from_${source}`), count(votes)])),
      [t("wantsMail"), count(asked)],
    ]),
    table(t("voters"), [
      [t("address"), (voter) => [
        h("bdi", { class: "title" }, voter.userEmail),
        h("small", null, [
          [voter.userName, voter.isAuthor && t("author"), sourceOf(voter)].filter(Boolean)
            .join(" · "),
          viaOf(idea, voter),
        ]),
      ]],
      ...reasons,
      [t("wantsMail"), ({ notify }) => notify ? t("yes") : "–", "wide"],
      [t("date"), ({ at }) => date(at), "wide"],
    ], votes),
    all > votes.length && h("p", { class: "soft" }, t("andMore", { n: all - votes.length })),
    table(t("byDomain"), [
      [t("domain"), ({ domain }) => h("bdi", null, domain)],
      [t("votes"), ({ votes }) => count(votes)],
      [t("firstVote"), ({ firstAt }) => date(firstAt), "wide"],
      [t("lastVote"), ({ lastAt }) => date(lastAt), "wide"],
      [t("actions"), (row) => may("posts:publish") && aside(visit, idea, row)],
    ], byDomain),
  ];
}

/** The fields that name a person, and say whether they want mail. */
export const PERSON_FIELDS = [
  { name: "userEmail", label: t("address"), type: "email" },
  { name: "userName", label: t("name"), attributes: { dir: "auto" } },
  { name: "notify", label: t("wantsToBeTold"), type: "checkbox", hint: t("aboutWantsToBeTold") },
];

/** The button that adds the vote of a person. @param {Visit} visit @param {Idea} idea */
function addVoter(visit, idea) {
  const [email, name, notify] = PERSON_FIELDS;
  return action(visit, t("addVoter"), {
    id: placeOf(idea),
    fields: [
      { ...email, required: true },
      name,
      { name: "why", label: t("why"), type: "textarea" },
      notify,
    ],
    submit: t("add"),
    run: ({ userEmail, userName, why, notify }) =>
      call("PUT", `${pathOf(idea)}/votes`, {
        json: {
          userEmail,
          vote: true,
          // A field that is left out keeps its value.
          ...userName && { userName },
          ...why && { why },
          ...notify === "true" && { notify: true },
        },
      }),
    done: ({ userEmail, changed }) => t(changed ? "votedIt" : "votedBefore", { name: userEmail }),
  });
}

/**
 * The button that sets the votes of a domain aside, or counts them again.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {Summary["byDomain"][number]} row
 */
function aside(visit, idea, { domain, aside }) {
  const set = (/** @type {boolean} */ aside) =>
    call("PUT", `${pathOf(idea)}/${path`domains/${domain}`}`, { json: { aside } });
  return action(visit, t(aside ? "countAgain" : "setAside"), {
    name: domain,
    about: aside ? undefined : t("aboutAside"),
    run: () => set(!aside),
    done: t(aside ? "countedIt" : "asideIt", { name: domain }),
  });
}
