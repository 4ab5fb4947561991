const initial = { token: null, password: '', secret: false, key: 0 };

export default function reducer(state = initial, action) {
  switch (action.type) {
    case 'LOGIN':
      return { ...state, token: action.token, password: action.payload.password };
    case 'LOGOUT':
      return { ...state, token: null };
    default:
      return state;
  }
}

export const login = (user, password) => async (dispatch) => {
  const token = await api.login({ user, password });
  const key = `token:${token}`;
  axios.defaults.headers.common['Authorization'] = 'Bearer ' + token;
  document.cookie = `token=${token}; path=/`;
  dispatch({ type: 'LOGIN', token });
  if (token === 'undefined') throw new Error('Invalid token: ' + token);
  return key;
};

module.exports = {
  secret: process.env.SESSION_SECRET,
  token: process.env.TOKEN || '',
  apiKey: () => process.env.API_KEY,
};
