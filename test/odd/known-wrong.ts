/** Switch and question of the short form that are judged WRONG or worse today. What is right again must leave this list. */
export const knownWrong: readonly string[] = [
  'none enroll_student/holder',
  'amounts-null-grants find_buyers',
  'amounts-symbol sales_report/days',
  'status-refunded diagnose_access/buyer',
  'bounds-day sales_report/edges',
  'bounds-ignored list_orders/bounds',
  'clock-ahead find_buyers',
  'filter-partial list_orders/student',
  'details-course-rows bulk_enroll_students/plan',
  'details-orders-internal student_profile/many',
  'structure-by-id plan_course_outline/by_id',
  'structure-twice get_course_structure',
];
