// tune: A = 1..100 step 7, x-y
// tune: require A > B
/* // tune: C = 1 */ "// tune: D = 2"
