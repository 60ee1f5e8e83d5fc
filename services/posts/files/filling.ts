import { isClosing, type Post } from "../../../model/posts/post.ts";
import type { FilePost } from "../../../model/posts/files/file_row.ts";
import { mailboxOf } from "../../../model/posts/vote.ts";

/**
 * Fills what is empty in a post with the values of a file, and overwrites nothing; returns
 * `undefined` if there is nothing to fill.
 */
export function fillPost(post: Post, file: FilePost, at: string): Post | undefined {
  // The words of a post that names an erased person wait for the team.
  if (post.mergedInto !== null || post.lacksFormerVotes || post.namesErased) return undefined;
  const words = {
    ...(isEmpty(post.body) && !isEmpty(file.body) && { body: file.body }),
    ...(post.answer === null && file.answer !== null && {
      answer: file.answer,
      answeredAt: file.answeredAt ?? at,
    }),
  };
  const { authorEmail } = file;
  // A closed post may have lost its author because the time to keep names was over.
  const author = post.authorEmail === null && authorEmail !== null && !isClosing(post.status)
    ? { authorEmail, authorMailbox: mailboxOf(authorEmail) }
    : {};
  const number = lacksVotes(post) && file.importedVotes > 0
    ? { importedVotes: file.importedVotes }
    : {};
  const filled = { ...words, ...author, ...number };
  if (Object.keys(filled).length === 0) return undefined;
  const updatedAt = Object.keys(words).length === 0 ? post.updatedAt : at;
  return { ...post, ...filled, updatedAt };
}

/** Tells whether a post has no votes, with or without voters. */
export function lacksVotes({ votes, importedVotes }: Post): boolean {
  return votes === 0 && importedVotes === 0;
}

function isEmpty(text: string | null): boolean {
  return text === null || text === "";
}
