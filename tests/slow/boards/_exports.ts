// Exports of other products at real size, as each of them writes its files.

import { zip } from "../../_support/zip.ts";

/** How much is in an export. Each idea has as many voters as any other. */
export interface ExportSize {
  readonly ideas: number;
  readonly votesPerIdea: number;
  readonly people: number;
}

/** A file of a product. */
export interface ExportFile {
  readonly type: "text/csv" | "application/x-ndjson" | "application/zip";
  readonly query?: string;
  /** How many posts and votes a board has more once it was imported. */
  readonly posts: number;
  readonly votes: number;
  readonly read: () => Iterable<Uint8Array<ArrayBuffer>>;
}

const CHUNK_LENGTH = 65_536;
const STATUSES = ["open", "planned", "started", "completed"];
const BODY = 'At night the white page hurts, and so do the pictures on it, "all" of them.';
// It has no divisor in common with the number of people.
const STEP = 13;

/** Returns the address of a voter of an idea; no idea has one twice. */
export function voterOf(idea: number, vote: number, { people }: ExportSize): string {
  return `p${(idea * 7 + vote * STEP) % people}@example.com`;
}

function timeOf(idea: number, vote = 0): string {
  const ms = Date.parse("2024-01-01T00:00:00Z") + idea * 3_600_000 + vote * 1_000;
  return new Date(ms).toISOString();
}

const utf8 = new TextEncoder();

/** Joins texts to chunks of the size in which a connection brings them. */
function* encode(texts: Iterable<string>): Generator<Uint8Array<ArrayBuffer>> {
  let chunk = "";
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield utf8.encode(chunk);
    chunk = "";
  }
  yield utf8.encode(chunk);
}

function* times<T>(count: number, write: (at: number) => T): Generator<T> {
  for (let at = 0; at < count; at++) yield write(at);
}

/** Writes something for each vote, the votes of an idea one after the other. */
function* votesOf<T>(
  { ideas, votesPerIdea }: ExportSize,
  write: (idea: number, vote: number) => T,
): Generator<T> {
  for (let idea = 0; idea < ideas; idea++) {
    for (let vote = 0; vote < votesPerIdea; vote++) yield write(idea, vote);
  }
}

function* withHeader(header: string, rows: Iterable<string>): Generator<string> {
  yield `${header}\n`;
  yield* rows;
}

const statusOf = (idea: number) => STATUSES[idea % STATUSES.length];
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const json = (values: readonly unknown[]) => JSON.stringify(values);

/** Returns the files of each product, in the order in which they are imported. */
export function exportsOf(
  size: ExportSize,
): Readonly<Record<string, readonly ExportFile[]>> {
  const { ideas, votesPerIdea, people } = size;
  const votes = ideas * votesPerIdea;
  const csv = (header: string, rows: () => Iterable<string>) => ({
    type: "text/csv" as const,
    read: () => encode(withHeader(header, rows())),
  });
  return {
    "Fider's sheet": [{
      ...csv(
        "number,title,description,created_at,created_by,votes_count,comments_count,status," +
          "responded_by,responded_at,response,original_number,original_title,tags",
        () =>
          times(
            ideas,
            (at) =>
              `${at + 1},Idea ${at},${quote(BODY)},${timeOf(at)},Ann,${votesPerIdea},0,` +
              `${statusOf(at)},Ben,${timeOf(at, 60)},"Yes, we do.",,,ui\n`,
          ),
      ),
      ...{ posts: ideas, votes: 0 },
    }],
    "Fider's backup": [{
      type: "application/zip",
      ...{ posts: ideas, votes },
      *read() {
        yield zip({
          "users.json": json([
            ...times(people, (id) => ({ id, name: `P ${id}`, email: `p${id}@example.com` })),
          ]),
          "posts.json": json([
            ...times(ideas, (at) => ({
              ...{ id: at + 70, number: at + 1, title: `Idea ${at}`, description: BODY },
              ...{ status: at % 5, user_id: at % people, created_at: timeOf(at) },
              response: "Yes, we do.",
            })),
          ]),
          "post_votes.json": json([
            ...votesOf(size, (idea, vote) => ({
              user_id: Number(/\d+/.exec(voterOf(idea, vote, size))),
              ...{ post_id: idea + 70, created_at: timeOf(idea, vote) },
            })),
          ]),
        });
      },
    }],
    "Quackback's two files": [{
      ...csv(
        "id,title,content,status,tags,board,author_name,author_email,vote_count,created_at",
        () =>
          times(ideas, (at) =>
            `i${at},Idea ${at},${quote(BODY)},${statusOf(at)},,Ideas,Ann,` +
            `${voterOf(at, 0, size)},${votesPerIdea},${timeOf(at)}\n`),
      ),
      ...{ posts: ideas, votes: 0 },
    }, {
      ...csv(
        "id,post_id,voter_email,source_type,created_at",
        () =>
          votesOf(
            size,
            (idea, vote) =>
              `v${idea}-${vote},i${idea},${voterOf(idea, vote, size)},widget,${
                timeOf(idea, vote)
              }\n`,
          ),
      ),
      ...{ posts: 0, votes },
    }],
    "UserVoice's full export": [{
      ...csv(
        "Idea ID,Title,Description,Creator Email,Creator Name,Forum,Category,Labels," +
          "Public Status,Votes,Created At,Status Update,Status Updated At,User Email,User Name",
        () =>
          votesOf(
            size,
            (idea, vote) =>
              `${idea},Idea ${idea},${quote(BODY)},${voterOf(idea, 0, size)},Ann,General,,,` +
              `${statusOf(idea)},${votesPerIdea},${timeOf(idea)},On it.,${timeOf(idea, 60)},` +
              `${voterOf(idea, vote, size)},P\n`,
          ),
      ),
      ...{ posts: ideas, votes },
    }],
    "any sheet": [{
      ...csv(
        "Idea,Details,State,Voter,Created",
        () =>
          votesOf(
            size,
            (idea, vote) =>
              `Idea ${idea},${quote(BODY)},${statusOf(idea)},${voterOf(idea, vote, size)},` +
              `${timeOf(idea)}\n`,
          ),
      ),
      query: "?columns=" +
        encodeURIComponent(
          "title=Idea,body=Details,status=State,userEmail=Voter,createdAt=Created",
        ),
      ...{ posts: ideas, votes },
    }],
  };
}

/** Returns an export of our own in which each tenth vote has left its number alone. */
export function forgetSome(size: ExportSize): ExportFile {
  const { ideas, votesPerIdea: votes } = size;
  function* lines(): Generator<string> {
    for (let idea = 0; idea < ideas; idea++) {
      const at = timeOf(idea);
      const post = {
        ...{ postId: `idea-${idea}`, title: `Idea ${idea}`, body: BODY, status: "open", votes },
        ...{ state: "public", source: "api", createdAt: at, updatedAt: at },
        ...{ history: [{ at, status: "open" }], authorEmail: voterOf(idea, 0, size) },
      };
      yield `${JSON.stringify(post)}\n`;
      for (let vote = 0; vote < votes; vote++) {
        if ((idea * votes + vote) % 10 === 9) continue;
        const userEmail = voterOf(idea, vote, size);
        const asked = { notify: vote % 2 === 0, notifyAt: vote % 2 === 0 ? at : null };
        const cast = { source: "api", at: timeOf(idea, vote), counts: true };
        yield `${JSON.stringify({ postId: post.postId, userEmail, ...asked, ...cast })}\n`;
      }
    }
  }
  return {
    type: "application/x-ndjson",
    ...{ posts: ideas, votes: ideas * votes * 0.9 },
    read: () => encode(lines()),
  };
}
