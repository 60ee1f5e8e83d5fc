/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Key } from "./keys.js" */
import { ApiProblem, call, path } from "../client.js";
import { BASE, ownKeyId } from "../session.js";
import { date, h, t, word } from "../dom.js";
import { head, pill } from "../parts.js";
import { emptyList, listing } from "../listing.js";
import { action } from "../task.js";

/** @typedef {import("../../model/team/member.ts").ShownMember} Member */

/** @param {Partial<Member>} [member] */
function fieldsOf({ userEmail, userName, role = "editor" } = {}) {
  return {
    userEmail: {
      name: "userEmail",
      label: t("address"),
      type: "email",
      value: userEmail,
      required: true,
    },
    userName: { name: "userName", label: t("name"), value: userName, required: true },
    role: {
      name: "role",
      label: t("role"),
      type: "radio",
      value: role,
      required: true,
      options: [
        ["writer", t("writer"), t("about_writer")],
        ["editor", t("editor"), t("about_editor")],
        ["admin", t("admin"), t("about_admin")],
      ],
    },
  };
}

/**
 * Returns an invitation as a secret to show, and how it reaches the member.
 *
 * @param {{ url: string, mailed: boolean }} invitation
 */
function shown({ url, mailed }) {
  const secret = new URL(url.startsWith("/") ? url.slice(1) : url, BASE).href;
  return { secret, aboutSecret: t(mailed ? "invitationMailed" : "invitationToCopy") };
}

/**
 * The button that invites a member.
 *
 * @param {Visit} visit
 * @param {string} label
 * @param {Record<string, string>} [attributes]
 */
export function invitation(visit, label, attributes) {
  const { userEmail, userName, role } = fieldsOf();
  return action(visit, label, {
    fields: [userEmail, userName, role],
    submit: t("invite"),
    async run(json) {
      return shown((await call("POST", "team", { json })).invitation);
    },
    done: "",
    attributes,
  });
}

/** @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const invite = invitation(visit, t("invite"), { class: "primary" });
  return [
    head(t("team"), { actions: invite }),
    await listing(visit, {
      name: t("team"),
      path: "team",
      columns: [
        [t("name"), (member) => [
          h("bdi", { class: "title" }, member.userName),
          " ",
          pill(member.role === "admin" ? "done" : "off", word(member.role)),
          h("small", null, h("bdi", null, member.userEmail)),
        ]],
        [t("lastVisit"), ({ lastSeenAt }) => lastSeenAt ? date(lastSeenAt) : t("never"), "wide"],
        [t("actions"), (member) => h("div", { class: "actions" }, actions(visit, member))],
      ],
      empty: emptyList(t("noMembers"), invite),
    }),
  ];
}

/** @param {Visit} visit @param {Member} member */
function actions(visit, member) {
  const { memberId, userName: name } = member;
  const base = path`team/${memberId}`;
  const isOwn = memberId === ownKeyId();
  const { userEmail, userName, role } = fieldsOf(member);
  return [
    action(visit, t("change"), {
      name,
      fields: isOwn ? [userEmail, userName] : [userEmail, userName, role],
      about: t("aboutNewAddress"),
      submit: t("save"),
      run: (_, json) => call("PATCH", base, { json }),
      done: t("saved"),
    }),
    action(visit, t("inviteAgain"), {
      name,
      about: t("aboutInviteAgain"),
      async run() {
        return shown(await call("POST", `${base}/invite`));
      },
      done: "",
    }),
    action(visit, t("signOut"), {
      name,
      about: t("aboutSignOutMember"),
      run: () => call("POST", `${base}/sign-out`),
      done: t("signedOutMember", { name }),
    }),
    !isOwn && action(visit, t("takeAway"), {
      name,
      title: t("removeMember", { name }),
      about: removal(memberId),
      danger: true,
      async run() {
        await call("DELETE", base).catch((error) => {
          // The browser may have sent the request twice.
          if (!(error instanceof ApiProblem && error.status === 404)) throw error;
        });
      },
      done: t("removedMember", { name }),
    }),
  ];
}

/** Tells what a removal does, with the keys that the member made. @param {string} memberId */
function removal(memberId) {
  const keys = h("p", { class: "soft" });
  void call("GET", "keys", { query: { limit: "100" } }).then(({ data }) => {
    const names = data.filter((/** @type {Key} */ key) =>
      key.createdById === memberId && key.revokedAt === null
    ).map((/** @type {Key} */ { name }) => name);
    if (names.length > 0) keys.textContent = t("keysOfMember", { names: names.join(", ") });
  }).catch(() => {});
  return [h("p", null, t("aboutRemoveMember")), keys];
}
