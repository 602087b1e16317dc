package tensor_test

import "halfnote/tensor"

func init() {
	addOps(
		elementwise("dropout", 1, func(x ...*T) *T {
			return x[0].Dropout(0.4, tensor.NewGenerator(3))
		}),
		elementwise("dropout_mask", 1, func(x ...*T) *T {
			return x[0].DropoutMask(tensor.NewGenerator(3).Bernoulli(0.6, x[0].Shape()...), 0.4)
		}),
		opRow{name: "dropout2d", f: func(x ...*T) *T {
			return x[0].Dropout2d(0.4, tensor.NewGenerator(3))
		}, in: same(1, 3, 4, 2), also: [][][]int{same(1, 2, 3), same(1, 2, 0, 3)}},
	)
	elementwiseOps["dropout_with_mask"] = func(x in, a attrs) *T {
		return x["x"].DropoutMask(x["mask"], a.float("p"))
	}
}
