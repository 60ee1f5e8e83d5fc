import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Japanese. */
export const ja: ProofTexts = {
  mailSubject: (name) => `ご確認ください: ${name}`,
  voteSubject: (name) => `投票をご確認ください: ${name}`,
  ideaSubject: (name) => `アイデアをご確認ください: ${name}`,
  mailText: (name) =>
    `${name} のフォームに、あなたのメールアドレスが入力されました。` +
    "ページを開いて内容をご覧になり、そこで確認してください。",
  mailLink: "内容を見て確認する",
  mailIgnore:
    "リンクは7日間有効です。お心当たりがない場合は、このメールを無視するか、ページでお知らせください。" +
    "今後メールをお送りすることはありません。",

  waiting: "あなたが送信したものですか？",
  waitingHint: (userEmail) =>
    `${userEmail} というアドレスで送信されました。確認するまで何も行われません。`,
  ofSignUp: (title) => `${title} の更新情報をメールで受け取る`,
  ofVote: (title) => `投票: ${title}`,
  ofIdea: (title) => `新しいアイデア: ${title}`,
  withMail: "進展があればメールを受け取る",
  confirm: "確認する",
  nothingWaits: "確認を待っているものはありません",
  notMe: "お心当たりがありませんか？",
  notMeHint: "その場合は何も行われません。ここのフォームからのメールをすべて止めることもできます。",
  never: "私ではありません。今後メールを送らない",
  neverDone: "今後メールをお送りしません",
  neverDoneHint: "待っていたものは削除されました。",
  confirmed: "ありがとうございます。確認しました",
  held: "アイデアはチームの承認後に表示されます。",
  ended: "次のものはもう行えませんでした:",

  remember: "このブラウザーで覚えておく",
  rememberHint:
    "メールなしで、ワンタップで投票できるようになります。Cookie を1つ、90日間保存します。ご自分の端末でのみお使いください。",
  remembered: "このブラウザーで覚えました",
  rememberedHint: "これからはワンタップで投票できます。",
  forgetBrowser: "このブラウザーからサインアウト",
  browserForgotten: "このブラウザーからサインアウトしました",

  mine: "あなたのアイデアと投票",
  mineHint:
    "アドレスを入力してください。投票、投稿、ご希望の一覧へのリンクをメールでお送りします。",
  sendLink: "リンクを送る",
  nothingMine: "あなたに関するものはここにありません。",
  notShown: "公開されていないアイデア",
  myVotes: "投票したもの",
  myIdeas: "投稿したもの",
  isTold: "進展があればメールが届きます",
  askMail: "進展があればメールで知らせる",
  endMail: "これについてのメールは不要",
  moreMine: "このページに表示しきれないものがあります。投票を取り消すと残りが表示されます。",
  withdraw: "投票を取り消す",
  stop: "すべてのメールを止める",
  stopHint: "投票は残ります。投票についても更新情報についても、メールは届きません。",
  stopped: "メールを止めました",
  forgetMe: "私の情報をすべて削除",
  forgetMeHint:
    "投票、購読、ほかに投票のないアイデアを削除します。その他のアイデアはアドレスを消して残します。",
  kept: "投票を取り消すか、すべてを削除するまで、投票とアイデアとともにアドレスを保存します。",
  keptAfterwards: (duration) =>
    `アイデアが提供済みまたは見送りになると、期間の後にアドレスを削除し、票数は残します。期間：${duration}`,
  forgetMeQuestion: "本当にすべて削除しますか？",
  keepEverything: "いいえ、残しておきます",
  forgotten: "すべて削除しました",
  forgottenHint: "あなたに関するものはもう保存されていません。",
  votingAs: (name) => `投票者: ${name}`,
  foreign: "ここでもう一度お試しください",
  foreignHint:
    "このフォームは別のサイトから送信されたため、何も行われませんでした。ページを開いてボタンを押してください。",

  vote: "投票する",
  voteAndMail: "投票し、進展をメールで受け取る",
  voteHint: "アドレスは誰にも見えません。メールで確認します。",
  voteCounts: "投票しました",
  withdrawn: "投票を取り消しました",
  votingEnded: "投票は終了しました",
  newIdea: "新しいアイデア",
  ideaTitle: "タイトル",
  ideaBody: "詳しく教えてください（任意）",
  send: "送信",
  sendAndMail: "送信し、進展をメールで受け取る",
  badTitle: "3～120文字のタイトルを、リンクなしで入力してください。",
  badBody: "画像なしで、8 KB までのテキストにしてください。",
  boardFull: "現在、このボードでは新しいアイデアを受け付けていません",
  report: "このアイデアを報告",
  reportReason: "何が問題ですか？",
  badReason: "3～1,000文字で理由を入力してください。",
  reported: "お知らせありがとうございます",
  reportedHint: "チームが確認します。",
};
