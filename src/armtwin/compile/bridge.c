/* One state through a compiled kernel with as little Python as possible.
   The few parts of CPython's stable interface (3.11+) that are used are declared here, so that no
   Python headers are needed:
     plan(address, input_sizes, output_sizes, lower, upper) -> int
     one(plan, inputs..., outputs...) -> True when it ran, False when the general way must be taken:
       an argument that is no contiguous float64 array of the right size, a number that is not
       finite, or a first input outside lower..upper
     inside(x, lower, upper) -> True when x is a contiguous float64 array whose rows are finite and
       lie within lower..upper. */
typedef struct _object PyObject;
typedef __PTRDIFF_TYPE__ Py_ssize_t;
typedef struct {
  void *buf; PyObject *obj; Py_ssize_t len, itemsize; int readonly, ndim; char *format;
  Py_ssize_t *shape, *strides, *suboffsets; void *internal;
} Py_buffer;
typedef struct { const char *name; void *call; int flags; const char *doc; } PyMethodDef;
typedef struct {
  Py_ssize_t refcnt; void *type; void *init; Py_ssize_t index; void *copy;
  const char *name, *doc; Py_ssize_t size; PyMethodDef *methods; void *slots, *traverse, *clear, *free;
} PyModuleDef;
extern PyObject *PyModule_Create2(PyModuleDef *, int);
extern int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
extern void PyBuffer_Release(Py_buffer *);
extern PyObject *PyBool_FromLong(long);
extern PyObject *PyLong_FromVoidPtr(void *);
extern void *PyLong_AsVoidPtr(PyObject *);
extern long PyLong_AsLong(PyObject *);
extern PyObject *PySequence_GetItem(PyObject *, Py_ssize_t);
extern Py_ssize_t PySequence_Size(PyObject *);
extern void Py_DecRef(PyObject *);
extern void PyErr_Clear(void);
extern PyObject *PyErr_Occurred(void);
extern PyObject *PyErr_NoMemory(void);
extern void *PyMem_Malloc(__SIZE_TYPE__);
extern double PyFloat_AsDouble(PyObject *);

enum { MOST = 16, CONTIGUOUS = 0x0008 | 0x0010 | 0x0020 | 0x0004, WRITABLE = 0x0001 };
typedef void (*kernel_t)(long, const double *const *, double *const *);
typedef struct {
  kernel_t call; int inputs, outputs; Py_ssize_t size[MOST]; double lower[64], upper[64];
} plan_t;

static double item(PyObject *sequence, Py_ssize_t i) {
  PyObject *value = PySequence_GetItem(sequence, i);
  if (!value) return 0.0;
  double x = PyFloat_AsDouble(value);
  Py_DecRef(value);
  return x;
}
static PyObject *plan(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self; (void)count;
  plan_t *p = PyMem_Malloc(sizeof(plan_t));
  if (!p) return PyErr_NoMemory();
  p->call = (kernel_t)PyLong_AsVoidPtr(args[0]);
  p->inputs = (int)PySequence_Size(args[1]);
  p->outputs = (int)PySequence_Size(args[2]);
  for (int i = 0; i < p->inputs; i++) p->size[i] = (Py_ssize_t)item(args[1], i);
  for (int i = 0; i < p->outputs; i++) p->size[p->inputs + i] = (Py_ssize_t)item(args[2], i);
  for (Py_ssize_t i = 0; i < p->size[0]; i++) {
    p->lower[i] = item(args[3], i);
    p->upper[i] = item(args[4], i);
  }
  return PyErr_Occurred() ? 0 : PyLong_FromVoidPtr(p);
}
static int usable(const plan_t *p, int i, const double *x) {
  double sum = 0.0;
  for (Py_ssize_t k = 0; k < p->size[i]; k++) sum += x[k] * 0.0;
  if (!(sum == 0.0)) return 0;
  if (i) return 1;
  for (Py_ssize_t k = 0; k < p->size[0]; k++)
    if (x[k] < p->lower[k] || x[k] > p->upper[k]) return 0;
  return 1;
}
static PyObject *one(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self;
  const plan_t *p = PyLong_AsVoidPtr(args[0]);
  const int total = p->inputs + p->outputs;
  Py_buffer view[MOST];
  double *at[MOST];
  int held = 0, fine = count == total + 1;
  for (; fine && held < total; held++) {
    const int flags = CONTIGUOUS | (held < p->inputs ? 0 : WRITABLE);
    if (PyObject_GetBuffer(args[held + 1], &view[held], flags)) { PyErr_Clear(); fine = 0; break; }
    const char *format = view[held].format;
    at[held] = view[held].buf;
    fine = format && format[0] == 'd' && !format[1] && view[held].len == 8 * p->size[held]
           && (held >= p->inputs || (view[held].ndim == 1 && usable(p, held, at[held])));
  }
  if (fine) p->call(1, (const double *const *)at, at + p->inputs);
  while (held--) PyBuffer_Release(&view[held]);
  return PyBool_FromLong(fine);
}
static PyObject *inside(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self;
  Py_buffer view[3];
  int held = 0, fine = count == 3;
  for (; fine && held < 3; held++) {
    if (PyObject_GetBuffer(args[held], &view[held], CONTIGUOUS)) { PyErr_Clear(); fine = 0; break; }
    fine = view[held].format && view[held].format[0] == 'd' && !view[held].format[1];
  }
  if (fine) {
    const double *x = view[0].buf, *low = view[1].buf, *high = view[2].buf;
    const Py_ssize_t n = view[1].len / 8, rows = n ? view[0].len / 8 / n : 0;
    long outside = view[2].len != view[1].len;
    for (Py_ssize_t i = 0; i < rows; i++, x += n)
      for (Py_ssize_t k = 0; k < n; k++)
        outside |= !(x[k] >= low[k]) | !(x[k] <= high[k]) | !(x[k] * 0.0 == 0.0);
    fine = !outside;
  }
  while (held--) PyBuffer_Release(&view[held]);
  return PyBool_FromLong(fine);
}
static PyMethodDef methods[] = {
    {"plan", plan, 0x80, 0}, {"one", one, 0x80, 0}, {"inside", inside, 0x80, 0}, {0, 0, 0, 0}};
static PyModuleDef module = {1, 0, 0, 0, 0, "armtwin_bridge", 0, -1, methods, 0, 0, 0, 0};
__attribute__((visibility("default"))) PyObject *PyInit_armtwin_bridge(void) {
  return PyModule_Create2(&module, 1013);
}
