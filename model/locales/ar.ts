import { isolate, type Texts } from "./locale.ts";

// Verbal nouns where an imperative would have to know whom it speaks to.
/** The texts in Arabic. */
export const ar: Texts = {
  about: "آخر المستجدات، من الأحدث إلى الأقدم",
  skip: "الانتقال إلى المحتوى",
  feeds: "المتابعة عبر الخلاصات",
  labels: "الوسوم",
  labelled: (label) => `المستجدات بوسم «${isolate(label)}»`,
  pages: "الصفحات",
  newerEntries: "مستجدات أحدث",
  olderEntries: "مستجدات أقدم",
  allEntries: "كل المستجدات",
  newerEntry: "أحدث",
  olderEntry: "أقدم",
  readMoreAt: (host) => `المزيد على ${isolate(host)}`,
  nothingYet: "لم يُنشر شيء بعد",
  nothingYetHint: "يمكن متابعة الخلاصة لمعرفة أول المستجدات.",
  nothingLabelled: "لا توجد مستجدات بهذا الوسم",
  search: "بحث",
  found: (q) => `نتائج البحث عن «${isolate(q)}»`,
  nothingFound: "لم يُعثر على شيء",
  nothingFoundHint: "يُرجى المحاولة بكلمات أقل أو بكلمات أخرى.",
  preview: "هذه معاينة، وقد لا يكون المحتوى منشورًا بعد.",

  notFound: "لا يوجد شيء هنا",
  notFoundHint: "ربما سُحب المحتوى، أو أن العنوان غير مكتمل.",
  unreadable: "هذا العنوان لا يعمل",
  unreadableHint: "جزء منه ناقص، أو تغيّر في الطريق.",
  unavailable: "يتعذّر عرض هذه الصفحة الآن",
  unavailableHint: "يُرجى المحاولة مرة أخرى بعد دقيقة.",
  whatIsNew: "الاطلاع على المستجدات",

  signUp: "المستجدات عبر البريد الإلكتروني",
  signUpHint: "رسالة واحدة لكل جديد، ويمكن إلغاء الاشتراك في أي وقت.",
  email: "البريد الإلكتروني",
  name: "الاسم (اختياري)",
  subscribe: "اشتراك",
  leaveEmpty: "يُرجى ترك هذا الحقل فارغًا",
  badEmail: `يُرجى إدخال عنوان بريد إلكتروني مثل ${isolate("name@example.com")}.`,
  badName: "يُرجى إدخال اسم لا يتجاوز 200 حرف، دون محارف تحكم.",
  lookForMail: "تفقّد بريدك الإلكتروني",
  lookForMailHint:
    "افتح الرابط الموجود فيها للتأكيد. إن وصلتك منا رسالة اليوم، فرابطها يعرض هذا أيضًا. " +
    "إذا لم تصل خلال بضع دقائق، فقد تكون في مجلد الرسائل غير المرغوب فيها.",
  confirm: "تأكيد الاشتراك",
  confirmHint: (userEmail) => `سنرسل المستجدات إلى ${isolate(userEmail)}.`,
  confirmed: "تم تأكيد الاشتراك",
  confirmedHint: "سنرسل إليك رسالة عند كل جديد، وفي كل رسالة رابط لإلغاء الاشتراك.",
  expired: "انتهت صلاحية هذا الرابط",
  expiredHint: "للحصول على رابط جديد يُرجى إدخال العنوان مرة أخرى.",
  badLink: "هذا الرابط غير مكتمل",
  badLinkHint: "يُرجى نسخه كاملًا من الرسالة.",

  unsubscribe: "إلغاء الاشتراك",
  unsubscribeQuestion: "هل تريد إيقاف الرسائل؟",
  unsubscribeHint: "لن نرسل إليك المستجدات بعد ذلك.",
  unsubscribed: "تم إلغاء الاشتراك",
  unsubscribedHint: "لن نرسل إليك المستجدات بعد الآن.",
  choose: "اختر ما يصلك",
  everything: "الكل",
  onlyLabels: "المستجدات التي تحمل أحد هذه الوسوم فقط:",
  howOften: "كم مرة",
  paceEach: "رسالة لكل مستجد",
  paceWeekly: "رسالة واحدة في الأسبوع",
  save: "حفظ",
  saved: "تم حفظ اختيارك.",
  tooManyLabels: (max) => `الوسوم كثيرة جدًا، ولم يُحفظ شيء. الحد الأقصى: ${max}`,
  noLabel: "اختر وسمًا أو «الكل»: لم يُحفظ شيء.",
  weekSoFar: "هذا الأسبوع حتى الآن",
  weekly: (title) => `أسبوع ${title}`,

  preheader: (title) => `جديد ${isolate(title)}`,
  readOnWeb: "القراءة على الويب",
  learnMore: "معرفة المزيد",
  whyYouGetThis: (title) => `وصلتك هذه الرسالة لأنك مشترك في ${isolate(title)}.`,
  notTracked: "هذه الرسالة بلا تتبّع: لا أحد يعرف هل فُتحت أو هل اتُّبعت روابطها.",
  test: "تجربة",

  confirmSubject: (title) => `تأكيد الاشتراك في ${isolate(title)}`,
  confirmRequest: (title, userEmail) =>
    `طلب أحدهم، ونأمل أنه أنت، إرسال مستجدات ${isolate(title)} إلى ${isolate(userEmail)}.`,
  confirmLink: "تأكيد الاشتراك",
  confirmIgnore:
    "الرابط صالح لمدة 7 أيام. إن لم يكن الطلب منك فتجاهل هذه الرسالة، ولن يتم أي اشتراك.",
  alreadySubject: (title) => `اشتراكك في ${isolate(title)} قائم بالفعل`,
  alreadyText: (title, userEmail) =>
    `طلب أحدهم، ونأمل أنه أنت، إرسال مستجدات ${isolate(title)} إلى ${isolate(userEmail)}. ` +
    "اشتراكك قائم بالفعل، ولا حاجة إلى أي إجراء.",

  unread: (count) => `غير مقروءة: ${count}`,
  close: "إغلاق",
};
