/* matmul - the product of two 40 x 40 matrices in blocks of 8 x 8: the program of which matmul.lackey.xz is a recording. */
enum { N = 40, BLOCK = 8 };

static double a[N][N], b[N][N], c[N][N];

/* Adds the product of a's block (i, k) and b's block (k, j) to c's block (i, j). */
static void
block(int i, int j, int k)
{
	for (int x = i; x < i + BLOCK; x++)
		for (int y = j; y < j + BLOCK; y++) {
			double sum = c[x][y];
			for (int z = k; z < k + BLOCK; z++)
				sum += a[x][z] * b[z][y];
			c[x][y] = sum;
		}
}

int
main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	for (int i = 0; i < N; i += BLOCK)
		for (int j = 0; j < N; j += BLOCK)
			for (int k = 0; k < N; k += BLOCK)
				block(i, j, k);
	return c[N - 1][N - 1] == 0;
}
