import { isolate } from "../locale.ts";
import type { TeamTexts } from "./team_texts.ts";

/** The texts in Arabic. */
export const ar: TeamTexts = {
  welcome: (title) => `مرحبًا بك في ${isolate(title)}`,
  invitationFor: (userName, userEmail) =>
    `هذه الدعوة موجهة إلى ${isolate(userName)}، ${isolate(userEmail)}.`,
  signIn: "تسجيل الدخول",
  firstTitle: (title) => `إعداد ${isolate(title)}`,
  firstHint: "تصبح أول مدير هنا. ويظهر اسمك بجانب ما تكتبه.",
  yourName: "اسمك",
  yourAddress: "عنوان بريدك الإلكتروني",
  begin: "ابدأ",
  badName: "أدخل اسمك.",
  badAddress: "أدخل عنوان بريد إلكتروني مثل ann@example.com.",
  linkEnded: "استُخدم هذا الرابط من قبل أو انتهت صلاحيته",
  linkEndedHint: "اطلب دعوة جديدة من أحد المديرين، أو سجّل الدخول بطريقة أخرى.",
  otherWays: "طرق أخرى لتسجيل الدخول",
  noAccess: "ليس لديك صلاحية الدخول بعد",
  noAccessHint: "اطلب من أحد مديري هذه الخدمة أن يدعوك.",
  noAddress: "لم يؤكد مزوّد الهوية عنوان بريدك الإلكتروني. راجع من يدير هذه الخدمة.",
  otherIdentity:
    "يرتبط بهذا العنوان حساب آخر لدى مزوّد الهوية. اطلب من أحد المديرين أن يدعوك من جديد.",
  providerFailed: "تعذّر تسجيل دخولك عبر مزوّد الهوية",
  providerFailedHint: "حاول مرة أخرى، أو سجّل الدخول بطريقة أخرى.",

  codeSubject: (code, title) => `${isolate(code)} هو رمزك: ${isolate(title)}`,
  codeText: "أدخل هذا الرمز حيث طلبته:",
  codeNote: "الرمز صالح لمدة 10 دقائق. إن لم تطلبه، فتجاهل هذه الرسالة: لا يدخل أحد من دون الرمز.",
  inviteSubject: (title) => `دعوة: ${isolate(title)}`,
  inviteText: (title) => `أنت مدعو إلى فريق ${isolate(title)}. افتح الصفحة لتسجيل الدخول.`,
  inviteLink: "قبول الدعوة",
  inviteNote: "يعمل الرابط مرة واحدة خلال 7 أيام. إن لم تكن تنتظر دعوة، فتجاهلها.",

  digestSubject: (title) => `هذا الصباح: ${isolate(title)}`,
  digestHeld: (count) => `أفكار تنتظر الموافقة: ${count}`,
  digestReported: (count) => `أفكار مُبلّغ عنها: ${count}`,
  digestIdeas: "أفكار جديدة",
  digestMailings: "إرسالات متعثرة",
  digestWebhooks: "Webhooks متعثرة",
  openStudio: "فتح الاستوديو",
  digestNote: "تصلك هذه الرسالة بصفتك عضوًا في الفريق، مرة واحدة في اليوم على الأكثر.",
  digestSettings: "إيقاف هذه الرسالة",
};
